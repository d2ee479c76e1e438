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

    /// The page at a path.
    init?(path: Substring) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        self.init(rawValue: String(path.dropFirst()))
    }

    /// The path, without a query.
    var path: String { "/\(rawValue)" }

    /// Whether it is opened by a link that works once.
    var needsLink: Bool { self != .forgotPassword }

    /// The field that a person fills in.
    var field: Field { self == .forgotPassword ? .email : .password }

    /// What the browser, or a password manager, may fill in: WCAG 2.2, 1.3.5 and 3.3.8.
    var autocomplete: String {
        switch self {
        case .verifyEmail, .changeEmail: "current-password"
        case .resetPassword: "new-password"
        case .forgotPassword: "username"
        }
    }

    /// A field of a form, by its name in the form and in the gateway's requests.
    enum Field: String, Sendable {
        case email
        case password
    }
}
