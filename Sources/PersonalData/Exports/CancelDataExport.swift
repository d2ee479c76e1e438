import IdentityService
import Messages
import RPC
package import ServiceRuntime
package import Storage

extension AccountExportsHandler {
    /// Deletes the export of the caller's account, in any state (G-21).
    func cancelDataExport(
        _ request: GatewayV1.CancelDataExportRequest, _ call: AccountCall
    ) async throws -> GatewayV1.CancelDataExportResponse {
        let owner = try await owners.owner(in: call.context)
        let (isCancelled, blob) = try await store.write(about: [.account(owner.account)]) {
            transaction -> (Bool, BlobName?) in
            let row = try transaction.callersRow(owner.account)
            try transaction.requireLive(owner)
            return try transaction.cancelExport(of: row.account, from: call.origin)
        }
        watchers.changed(owner.account)
        // If this fails, the sweep removes the file; it is sealed, and no row names it.
        if let blob { try? await blobs.remove([blob]) }
        return GatewayV1.CancelDataExportResponse(cancelled: isCancelled)
    }
}

/// The exports of the store. The sweep removes the blob of one that a takeover cancels.
package struct OrderedExports: PendingExports {
    /// The exports of whatever store a transaction is of.
    package init() {}

    /// - Throws: `SQLError`.
    package func cancel(
        of account: AccountID, from origin: CallOrigin, _ transaction: Transaction
    ) throws {
        _ = try transaction.cancelExport(of: account, from: origin)
    }
}

extension Transaction {
    /// Deletes the export of an account, in any state, and records it.
    /// - Returns: whether there was one that had not expired; and the archive's blob, to be removed
    ///   after the commit. The sweep removes a blob that stays.
    fileprivate func cancelExport(
        of account: AccountID, from origin: CallOrigin
    ) throws -> (isCancelled: Bool, blob: BlobName?) {
        guard try hasExport(of: account, at: at) else { return (false, nil) }
        let blob = try deleteExport(of: account)
        try audit(.exportCancelled, account, from: origin)
        return (true, blob)
    }
}
