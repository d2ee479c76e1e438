package import ServiceRuntime
package import Storage

/// Deletes an account's devices when the account is erased.
package struct DeviceTraces: AccountTraces {
    /// Applies to every account.
    package init() {}

    /// Deletes the account's devices.
    /// - Throws: `SQLError`.
    package func forget(
        _ account: AccountID, hash: [UInt8], in transaction: Transaction
    ) throws {
        _ = try transaction.dropDevices(ofAccount: hash)
    }
}
