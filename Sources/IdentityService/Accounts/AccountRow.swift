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
    /// It has nothing to sign in by (G-07).
    let isGuest: Bool
    /// By what it can be signed in to: "password", "phone", providers' names. A password opens
    /// nothing where there is no address to enter it with.
    let methods: [String]
    /// Nil for an account without a phone number.
    let phone: Phone?
    /// Nil for an account without a picture.
    let sealedPhotoURL: [UInt8]?

    /// Whose it is, for the rule of linking.
    var holder: AccountHolder { AccountHolder(account: account, status: status) }

    /// An account's phone number: an identity's details.
    struct Phone: Hashable, Sendable {
        /// The identity's key.
        let identity: Int64
        let sealedDetails: [UInt8]
    }

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

    /// Whether its address may be proved by a mailed link, which may be what it waits for.
    var mayVerify: Bool { AccountStatusRule.allows(.proveAddress, self) }

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
