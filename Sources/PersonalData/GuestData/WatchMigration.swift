import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Streams a migration: as it is now and at each change, until it has succeeded or needs
    /// attention (G-16). The token is checked before anything is sent, and the stream ends when it
    /// expires.
    func watchMigration(
        _ request: GatewayV1.WatchMigrationRequest,
        _ items: OutgoingItems<GatewayV1.WatchMigrationItem>, _ call: AccountCall
    ) async throws {
        var id = try Self.migration(request.migrationId)
        let account = call.account
        var sent: GatewayV1.Migration?
        try await watchers.following(account, documents.time) {
            let token = try await calls.owner(in: call.context)
            let (stored, now) = try await store.read { [id] session in
                let stored = try Self.migration(id, of: account, in: session)
                return (stored, try message(stored, in: session))
            }
            id = stored.migration
            if now != sent { try await items.write(.init(migration: now)) }
            sent = now
            return stored.state.isActive ? token.expiresAt : nil
        }
    }
}
