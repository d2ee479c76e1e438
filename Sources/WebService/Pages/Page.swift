import Messages

/// A page for people. Raw values are the last components of the links in mails
/// (`IdentityService/EmailLinks/LinkToken.swift`), and the names of the texts' files.
package enum Page: String, CaseIterable, Sendable {
    /// Confirms an address (G-12).
    case verifyEmail = "verify-email"
    /// Corrects a mistyped address that was never confirmed, by address and password (G-02).
    case correctEmail = "correct-email"
    /// Confirms a new address of an account (G-12).
    case changeEmail = "change-email"
    /// Sets a new password (G-11).
    case resetPassword = "reset-password"
    /// Requests the mail for that (G-11).
    case forgotPassword = "forgot-password"
    /// Deletes an account, after a link or a sign-in, and two questions (G-19, G-32).
    case deleteAccount = "delete-account"
    /// Cancels a deletion that waits (G-19).
    case keepAccount = "keep-account"
    /// Signs everybody out after a sign-in that was not the owner's (N-01).
    case notMe = "not-me"
    /// Keeps the second factors that support is about to remove (F-03).
    case keepSecondFactors = "keep-second-factors"
    /// Asks a parent for consent to a child's account (G-23).
    case parent
    /// Sends the archive of an account's data, after a sign-in or by a link of the app (G-21, G-32).
    case yourData = "your-data"
    /// Shows and changes an account's second factors and passkeys, after a sign-in (F-01, F-03).
    case security

    /// The page at a path.
    init?(path: Substring) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        self.init(rawValue: String(path.dropFirst()))
    }

    /// The path, without a query.
    var path: String { "/\(rawValue)" }

    /// Whether it does nothing without the link of a mail.
    var needsLink: Bool {
        switch self {
        case .correctEmail, .forgotPassword, .deleteAccount, .yourData, .security: false
        default: true
        }
    }

    /// What its link is for; nil for a page that has none.
    var linkPurpose: GatewayV1.LinkPurpose? {
        switch self {
        case .verifyEmail: .verifyEmail
        case .changeEmail: .changeEmail
        case .resetPassword: .resetPassword
        case .deleteAccount: .deleteAccount
        case .keepAccount: .keepAccount
        case .notMe: .disownSignIn
        case .keepSecondFactors: .keepSecondFactors
        case .parent: .parent
        case .yourData: .yourData
        case .correctEmail, .forgotPassword, .security: nil
        }
    }

    /// Whether its password is a proof beside the link, which the link may not need.
    /// `/reset-password` sets one, and `/your-data` and `/security` sign in with it.
    var provesByPassword: Bool { self == .verifyEmail || self == .changeEmail }

    /// Whether it sets a new password, and shows the rules for one.
    var setsPassword: Bool { self == .resetPassword }

    /// Whether it is for people who have a password, and nothing else (G-36).
    var needsPasswords: Bool {
        switch self {
        case .correctEmail, .resetPassword, .forgotPassword: true
        default: false
        }
    }

    /// The page on which another link can be requested, or a mistyped address corrected, to which
    /// none came; nil for none.
    var request: Page? {
        switch self {
        case .resetPassword, .notMe: .forgotPassword
        case .deleteAccount: .deleteAccount
        case .verifyEmail: .correctEmail
        case .correctEmail, .changeEmail, .forgotPassword, .keepAccount, .keepSecondFactors,
            .yourData, .parent, .security:
            nil
        }
    }

    /// Whether it is for everyone, by the ways in that the installation has (`PageWay`).
    var hasWays: Bool { self == .deleteAccount || self == .yourData }

    /// Whether its form signs in.
    var signsIn: Bool { hasWays || self == .security }

    /// Whether its form has the account's address beside the password.
    var asksForAddress: Bool {
        self == .yourData || self == .security || self == .correctEmail
    }

    /// Whether it is answered by a sign-in, which may ask for a second proof.
    var mayNeedSecondProof: Bool { signsIn || self == .resetPassword }

    /// Whether its link may need a session: where it needs the account's own password, which an
    /// account may not have, or any password, where they are switched off.
    var mayNeedSession: Bool {
        self == .verifyEmail || self == .changeEmail || self == .yourData
    }

    /// The field that a person fills in; nil if a button is enough. A page with `hasWays` has it in the
    /// first way, and a page with `asksForAddress` has that too; `/correct-email` has the new one after
    /// both.
    var field: Field? {
        switch self {
        case .verifyEmail, .correctEmail, .changeEmail, .resetPassword, .yourData, .security:
            .password
        case .forgotPassword, .deleteAccount: .email
        case .keepAccount, .notMe, .keepSecondFactors, .parent: nil
        }
    }

    /// Whether the form has an address, which is shown again after an error. A password never is.
    var showsEmail: Bool { field == .email || asksForAddress }

    /// What the browser, or a password manager, may fill in: WCAG 2.2, 1.3.5 and 3.3.8.
    var autocomplete: String {
        switch self {
        case .verifyEmail, .correctEmail, .changeEmail, .yourData, .security: "current-password"
        case .resetPassword: "new-password"
        case .forgotPassword, .deleteAccount: "username"
        case .keepAccount, .notMe, .keepSecondFactors, .parent: "off"
        }
    }

    /// A field of a form, by its name in the form and in the gateway's requests.
    enum Field: String, Sendable {
        case email
        case newEmail = "new_email"
        case password
        /// A code that confirms who the person is.
        case code
        /// The number that the code is sent to.
        case number = "phone_number"
        /// The name of an authenticator app or a passkey.
        case name
        /// What a browser answers for a passkey; a script fills it in.
        case credential
    }
}
