import ServiceRuntime

/// The rows of a new account. All random values are drawn and all personal data is sealed before
/// the transaction.
struct NewAccount: Sendable {
    let account: AccountID
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    /// Nil for none.
    var sealedPhotoURL: [UInt8]?
    let language: String
    /// Nil for an account without an address.
    var address: NewAddress?
    /// Nil for an account without a password.
    var sealedPasswordHash: [UInt8]?
    /// The account has no sign-in method (G-07).
    var isGuest = false
    /// Pending if its address must be verified first (G-02).
    var status = AccountStatus.active
}

/// The address of a new account, or a new address of an account.
struct NewAddress: Sendable {
    /// Keyed hash of the normalised address.
    let lookUpKey: [UInt8]
    let sealed: [UInt8]
    /// Whether the address is verified.
    let isProved: Bool
}
