import Messages
import ServiceRuntime

/// An account with its profile, as the store keeps them: an account without a profile is never
/// read as one (G-01, I-04).
struct AccountRow: Hashable, Sendable {
    let account: AccountID
    let status: AccountStatus
    let createdAt: Timestamp
    let lastSignInAt: Timestamp?
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    let language: String
    /// Nil for an account without an address.
    let address: Address?

    /// The address that an account owns.
    struct Address: Hashable, Sendable {
        let lookUpKey: [UInt8]
        let sealed: [UInt8]
        /// Nil while it is only held since sign-up.
        let provedAt: Timestamp?
    }
}

/// Whether an account may sign in (I-01). Raw values are stored and never change.
enum AccountStatus: Int64, Sendable {
    case active = 1
    case suspended = 2
    case pendingVerification = 3
    case deleting = 4

    /// Whether it may sign in and confirm; told only to who has proved to be its owner. What else
    /// it allows: `AccountStatusRule`.
    var isUsable: Bool { AccountStatusRule.allows(.signIn, self) }

    /// The same in a message.
    var message: IdentityV1.AccountStatus {
        switch self {
        case .active: .active
        case .suspended: .suspended
        case .pendingVerification: .pendingVerification
        case .deleting: .deleting
        }
    }
}
