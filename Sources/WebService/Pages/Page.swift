import Messages

/// A page for people. Raw values are the last components of the links in mails
/// (`IdentityService/EmailLinks/LinkToken.swift`), and the names of the texts' files.
package enum Page: String, CaseIterable, Sendable {
    /// Confirms an address (G-12).
    case verifyEmail = "verify-email"
    /// Confirms a new address of an account (G-12).
    case changeEmail = "change-email"
    /// Sets a new password (G-11).
    case resetPassword = "reset-password"
    /// Requests the mail for that (G-11).
    case forgotPassword = "forgot-password"
    /// Deletes an account, after a mailed link and two questions (G-19).
    case deleteAccount = "delete-account"
    /// Cancels a deletion that waits (G-19).
    case keepAccount = "keep-account"
    /// Asks a parent for consent to a child's account (G-23).
    case parent
    /// Sends the archive of an account's data (G-21).
    case yourData = "your-data"

    /// The page at a path.
    init?(path: Substring) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        self.init(rawValue: String(path.dropFirst()))
    }

    /// The path, without a query.
    var path: String { "/\(rawValue)" }

    /// Whether it does nothing without the link of a mail.
    var needsLink: Bool { self != .forgotPassword && self != .deleteAccount }

    /// What its link is for; nil for a page that has none.
    var linkPurpose: GatewayV1.LinkPurpose? {
        switch self {
        case .verifyEmail: .verifyEmail
        case .changeEmail: .changeEmail
        case .resetPassword: .resetPassword
        case .deleteAccount: .deleteAccount
        case .keepAccount: .keepAccount
        case .parent: .parent
        case .yourData: .yourData
        case .forgotPassword: nil
        }
    }

    /// Whether its password is a proof beside the link, which the link may not need.
    /// `/reset-password` sets one, and `/your-data` signs in with it.
    var provesByPassword: Bool { self == .verifyEmail || self == .changeEmail }

    /// Whether it sets a new password, and shows the rules for one.
    var setsPassword: Bool { self == .resetPassword }

    /// Whether its link may need a session: where it needs the account's own password, which an
    /// account may not have.
    var mayNeedSession: Bool { self == .changeEmail || self == .yourData }

    /// The field that a person fills in; nil if a button is enough. `/delete-account` has it
    /// without a link only, and `/your-data` has the address too.
    var field: Field? {
        switch self {
        case .verifyEmail, .changeEmail, .resetPassword, .yourData: .password
        case .forgotPassword, .deleteAccount: .email
        case .keepAccount, .parent: nil
        }
    }

    /// Whether the form has an address, which is shown again after an error. A password never is.
    var showsEmail: Bool { field == .email || self == .yourData }

    /// What the browser, or a password manager, may fill in: WCAG 2.2, 1.3.5 and 3.3.8.
    var autocomplete: String {
        switch self {
        case .verifyEmail, .changeEmail, .yourData: "current-password"
        case .resetPassword: "new-password"
        case .forgotPassword, .deleteAccount: "username"
        case .keepAccount, .parent: "off"
        }
    }

    /// A field of a form, by its name in the form and in the gateway's requests.
    enum Field: String, Sendable {
        case email
        case password
    }
}
