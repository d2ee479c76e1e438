package import ServiceRuntime
package import Storage

/// The exports that accounts have ordered (G-21), for a takeover.
package protocol PendingExports: Sendable {
    /// Cancels the export of an account, in any state.
    func cancel(
        of account: AccountID, from origin: CallOrigin, _ transaction: Transaction
    ) throws
}
