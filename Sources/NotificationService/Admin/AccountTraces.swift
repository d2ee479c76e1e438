package import ServiceRuntime
package import Storage

/// Something of an account that notification keeps besides messages, such as its devices, and that
/// goes when the account is forgotten.
package protocol AccountTraces: Sendable {
    /// Removes it, in one transaction with the rest; repeatable.
    /// - Parameter hash: `NotificationKeys.account` of the account.
    func forget(_ account: AccountID, hash: [UInt8], in transaction: Transaction) throws
}
