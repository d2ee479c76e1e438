/// An account with the hash of its password, if it has one.
struct PasswordHolder: Hashable, Sendable {
    let row: AccountRow
    /// Sealed under the account's key, so that a stolen store alone gives nothing to guess against.
    let sealedHash: [UInt8]?
}
