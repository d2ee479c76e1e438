package import ServiceRuntime

/// What a record says beside its kind and its outcome, in words of closed lists. Nothing that a
/// caller wrote is among them: the trail outlives the account, and its readers must not find a
/// password there that somebody typed into a wrong field.
///
/// The words are stored and never renamed. `AuditKind.detail` says which kind has which.
package enum AuditDetail: Hashable, Sendable {
    /// How somebody signs in or proves: `password`, `phone`, `passkey`, `guest`, or a provider by
    /// its name in the operator's settings.
    case method(String)
    /// How the owner of a session has authenticated, as its tokens say it (`amr`, RFC 8176).
    case authentication([String])
    /// Why sessions have ended.
    case end(EndReason)
    /// Why a password was replaced.
    case password(PasswordReplacement)
    /// The channel of a message, and its template if the channel has templates.
    case message(channel: String, template: String?)
    /// A limit, by its name.
    case limit(String)
    /// What a backend changed of an account.
    case changes([AccountChange])
    /// What a link is for that a backend or an app got.
    case link(IssuedLink)
    /// A signed statement of the service about its trail (`TrailStatement`).
    case statement(String)

    /// Why a password was replaced.
    package enum PasswordReplacement: String, CaseIterable, Sendable {
        /// Its owner changed it, or set the first.
        case change
        /// It was set by a mailed link.
        case reset
        /// The owner of the address removed what a stranger had set (`AuditKind.accountTakenOver`).
        case takeover
    }

    /// What a backend can change of an account.
    package enum AccountChange: String, CaseIterable, Sendable {
        /// It has another email.
        case email
        /// Its email is verified.
        case emailVerified = "email-verified"
        /// It has another phone number, or none.
        case phoneNumber = "phone-number"
        /// It has another password.
        case password
        /// It has another display name.
        case displayName = "display-name"
    }

    /// What a link is for that a backend or an app got.
    package enum IssuedLink: String, CaseIterable, Sendable {
        /// To verify the email.
        case verifyEmail = "verify-email"
        /// To set a new password.
        case resetPassword = "reset-password"
        /// To change the email.
        case changeEmail = "change-email"
        /// To delete the account.
        case deleteAccount = "delete-account"
        /// To fetch the archive of its data.
        case yourData = "your-data"
    }

    /// The longest detail, in bytes.
    static let bytesMax = 512

    /// The words, separated by spaces.
    package var text: String {
        switch self {
        case .method(let name), .limit(let name): Self.word(name)
        case .authentication(let methods): methods.map(Self.word).joined(separator: " ")
        case .end(let reason): reason.rule
        case .password(let why): why.rawValue
        case .message(let channel, let template):
            ([channel] + (template.map { [$0] } ?? [])).map(Self.word).joined(separator: " ")
        case .changes(let changes): changes.map(\.rawValue).joined(separator: " ")
        case .link(let purpose): purpose.rawValue
        case .statement(let text): text
        }
    }

    /// What a record says for a name that cannot be in one of the lists.
    package static let unlisted = "other"

    /// A name of a list. A list may be the operator's, and earlier versions allowed other names.
    private static func word(_ name: String) -> String {
        name.isName(1...64, [.lower, .digit], marks: "-") ? name : unlisted
    }
}

extension AuditKind {
    /// What `AuditEvent.detail` is.
    enum Detail: Hashable, Sendable {
        case method, authentication, end, password, message, limit, changes, link, statement
    }

    /// What the records of this kind say in `detail`; nil for nothing. A record of an earlier
    /// version says nothing.
    var detail: Detail? {
        switch self {
        case .signInSucceeded, .signInFailed, .signInChallenged, .newDevice, .identityLinked,
            .identityUnlinked, .linkingRefused, .consentRevoked, .providerAccountDeleted,
            .providerSessionsRevoked, .providerAccountDisabled, .providerAccountChanged,
            .relayTurnedOff, .relayTurnedOn:
            .method
        case .sessionStarted, .sessionReauthenticated: .authentication
        case .sessionEnded, .accountSessionsEnded: .end
        case .passwordReplaced: .password
        case .messageAccepted, .messageSent, .messageDead: .message
        case .accountLocked: .limit
        case .accountChangedByBackend: .changes
        case .linkIssued, .linkCreated: .link
        case .auditHead, .auditCut: .statement
        default: nil
        }
    }

    /// Whether the records of this kind may have this detail.
    package func allows(_ detail: AuditDetail) -> Bool {
        let wanted: Detail =
            switch detail {
            case .method: .method
            case .authentication: .authentication
            case .end: .end
            case .password: .password
            case .message: .message
            case .limit: .limit
            case .changes: .changes
            case .link: .link
            case .statement: .statement
            }
        return self.detail == wanted && detail.text.utf8.count <= AuditDetail.bytesMax
    }
}
