import ServiceRuntime

/// The rows of an account that is about to be: everything random is drawn and everything personal
/// sealed before the transaction, which then only writes.
struct NewAccount: Sendable {
    let account: AccountID
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    let language: String
    /// Keyed hash of the normalised address.
    let lookUpKey: [UInt8]
    let sealedAddress: [UInt8]
    let sealedPasswordHash: [UInt8]
}
