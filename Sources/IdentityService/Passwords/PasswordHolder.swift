/// An account with its password hash, if it has one.
struct PasswordHolder: Hashable, Sendable {
    let row: AccountRow
    /// Sealed with the account's key, so that a stolen database alone permits no offline guessing.
    let sealedHash: [UInt8]?
}
