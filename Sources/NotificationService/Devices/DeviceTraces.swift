package import ServiceRuntime
package import Storage

/// An account's devices go with it.
package struct DeviceTraces: AccountTraces {
    /// The devices of any account.
    package init() {}

    package func forget(
        _ account: AccountID, hash: [UInt8], in transaction: Transaction
    ) throws {
        _ = try transaction.dropDevices(ofAccount: hash)
    }
}
