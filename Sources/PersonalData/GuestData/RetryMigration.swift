import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Tries the documents again that could not be moved, or deletes them (G-16): a cause that
    /// stays, as a collection that the rules no longer have, must not keep them for ever. A
    /// migration that runs or has succeeded is not changed.
    func retryMigration(
        _ request: GatewayV1.RetryMigrationRequest, _ call: AccountCall
    ) async throws -> GatewayV1.RetryMigrationResponse {
        guard let id = try Self.migration(request.migrationId) else {
            throw ServiceError(.invalidArgument, fields: ["migration_id"])
        }
        let migration = try await store.write(about: [.account(call.account)]) { transaction in
            let found = try Self.migration(id, of: call.account, in: transaction)
            if found.state == .needsAttention {
                try transaction.requireRoom(
                    for: NewcomerBytes.callBytes,
                    of: transaction.callersRow(call.account).newcomer(at: transaction.at),
                    from: call.origin, within: documents.newcomers)
            }
            if found.state == .needsAttention, request.drop {
                try transaction.drop(found)
                try transaction.audit(
                    AuditEvent(
                        .guestDataChosen, account: call.account.key,
                        attempt: GuestDataChoice.discard.rawValue
                    ).from(call.origin))
            } else if found.state == .needsAttention {
                try transaction.forgetIssues(of: id)
                try transaction.apply(.retried, to: found)
            }
            return try message(
                Self.migration(id, of: call.account, in: transaction), in: transaction)
        }
        guests.wake()
        watchers.changed(call.account)
        return GatewayV1.RetryMigrationResponse(migration: migration)
    }
}
