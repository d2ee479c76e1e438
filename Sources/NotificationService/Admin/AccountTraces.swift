package import ServiceRuntime
package import Storage

/// Data about an account besides messages, for example its devices. It is deleted when the account
/// is erased.
package protocol AccountTraces: Sendable {
    /// Deletes the data, in one transaction with the rest. Idempotent.
    /// - Parameter hash: `NotificationKeys.account` of the account.
    /// - Throws: `SQLError`.
    func forget(_ account: AccountID, hash: [UInt8], in transaction: Transaction) throws
}
