import ServiceRuntime

/// The rows of an account that is about to be, with everything random drawn and everything personal
/// sealed.
struct NewAccount: Sendable {
    let account: AccountID
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    /// Nil for none.
    var sealedPhotoURL: [UInt8]?
    let language: String
    /// Nil for an account without one.
    var address: NewAddress?
    /// Nil for an account without a password.
    var sealedPasswordHash: [UInt8]?
    /// It has nothing to sign in by (G-07).
    var isGuest = false
    /// Pending where its address has to be verified first (G-02).
    var status = AccountStatus.active
}

/// An address that an account is about to own.
struct NewAddress: Sendable {
    /// Keyed hash of the normalised address.
    let lookUpKey: [UInt8]
    let sealed: [UInt8]
    /// Its owner has been proved; else it is only held.
    let isProved: Bool
}
