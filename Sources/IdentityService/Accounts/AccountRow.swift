import Messages
import ServiceRuntime

/// An account with its profile, as stored. An account without a profile is never returned as an
/// account (G-01, I-04).
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
    /// The account has no sign-in method (G-07).
    let isGuest: Bool
    /// The account's sign-in methods: "password", "phone", providers' names. A password counts only
    /// if there is an address to enter with it.
    let methods: [String]
    /// Nil for an account without a phone number.
    let phone: Phone?
    /// Nil for an account without a picture.
    let sealedPhotoURL: [UInt8]?

    /// The account as an input of the linking rule.
    var holder: AccountHolder { AccountHolder(account: account, status: status) }

    /// An account's phone number, stored as an identity's details.
    struct Phone: Hashable, Sendable {
        /// The identity's row key.
        let identity: Int64
        let sealedDetails: [UInt8]
    }

    /// The address that an account owns.
    struct Address: Hashable, Sendable {
        let lookUpKey: [UInt8]
        let sealed: [UInt8]
        /// Nil while the address is unverified.
        let provedAt: Timestamp?
    }
}

/// Whether an account may sign in (I-01). Raw values are stored and must never change.
enum AccountStatus: Int64, Sendable {
    case active = 1
    case suspended = 2
    case pendingVerification = 3
    case deleting = 4

    /// Whether the account may sign in and confirm a link. Reveal it only to a caller who has
    /// authenticated as the owner. For the other acts see `AccountStatusRule`.
    var isUsable: Bool { AccountStatusRule.allows(.signIn, self) }

    /// Whether the account's address may be verified by a mailed link. That may be what a pending
    /// account waits for.
    var mayVerify: Bool { AccountStatusRule.allows(.proveAddress, self) }

    /// The status in a protobuf message.
    var message: IdentityV1.AccountStatus {
        switch self {
        case .active: .active
        case .suspended: .suspended
        case .pendingVerification: .pendingVerification
        case .deleting: .deleting
        }
    }
}
