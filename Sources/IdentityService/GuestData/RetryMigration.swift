import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Tries the documents again that could not be moved, or deletes them (G-16): a cause that
    /// stays, as a collection that the rules no longer have, must not keep them for ever. A
    /// migration that runs or has succeeded is not changed.
    /// - Throws: `rpc/not-found`; `rpc/invalid-argument` for a missing or malformed id; as
    ///   `owner(of:_:)` and `SQLSession.callersRow`.
    func retryMigration(
        _ request: IdentityV1.RetryMigrationRequest, _ context: CallContext
    ) async throws -> IdentityV1.RetryMigrationResponse {
        let owner = try await owner(of: request.accessToken, context)
        guard let id = try Self.migration(request.migrationId) else {
            throw ServiceError(.invalidArgument, fields: ["migration_id"])
        }
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let migration = try await store.write(about: [.account(owner.account)]) { transaction in
            let found = try Self.migration(id, of: owner.account, in: transaction)
            if found.state == .needsAttention {
                try transaction.requireRoom(
                    for: NewcomerBytes.callBytes,
                    of: transaction.callersRow(owner.account).newcomer(at: transaction.at),
                    from: origin, within: documents.settings.newcomers)
            }
            if found.state == .needsAttention, request.drop {
                try transaction.drop(found)
                try transaction.audit(
                    AuditEvent(
                        .guestDataChosen, account: owner.account.key,
                        attempt: GuestDataChoice.discard.rawValue
                    ).from(origin))
            } else if found.state == .needsAttention {
                try transaction.forgetIssues(of: id)
                try transaction.apply(.retried, to: found)
            }
            return try message(
                Self.migration(id, of: owner.account, in: transaction), in: transaction)
        }
        guests.wake()
        watchers.changed(owner.account)
        return IdentityV1.RetryMigrationResponse(migration: migration)
    }
}
