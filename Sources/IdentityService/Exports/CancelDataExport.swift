import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountExportsHandler {
    /// Deletes the export of the caller's account, in any state (G-21).
    /// - Throws: as `SessionOwners.owner(of:_:)` and `SQLSession.callersRow`; `auth/session-ended`.
    func cancelDataExport(
        _ request: IdentityV1.CancelDataExportRequest, _ context: CallContext
    ) async throws -> IdentityV1.CancelDataExportResponse {
        let owner = try await owners.owner(of: request.accessToken, context)
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let (isCancelled, blob) = try await store.write(about: [.account(owner.account)]) {
            transaction -> (Bool, BlobName?) in
            let row = try transaction.callersRow(owner.account)
            try transaction.requireLive(owner)
            guard try transaction.hasExport(of: row.account, at: transaction.at) else {
                return (false, nil)
            }
            let blob = try transaction.deleteExport(of: row.account)
            try transaction.audit(.exportCancelled, row.account, from: origin)
            return (true, blob)
        }
        watchers.changed(owner.account)
        // If this fails, the sweep removes the file; it is sealed, and no row names it.
        if let blob { try? await blobs.remove([blob]) }
        return IdentityV1.CancelDataExportResponse(cancelled: isCancelled)
    }
}
