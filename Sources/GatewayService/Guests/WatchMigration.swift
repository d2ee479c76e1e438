import Contracts
import Messages
import RPC

extension GuestsHandler {
    /// G-16: relays identity's stream of a migration's states.
    /// - Throws: `auth/invalid-access-token`, also when the token expires; `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/not-found`.
    func watchMigration(
        _ request: GatewayV1.WatchMigrationRequest,
        _ items: OutgoingItems<GatewayV1.WatchMigrationItem>, _ context: CallContext
    ) async throws {
        let states = guestDataStreams.watchMigration(
            IdentityV1.WatchMigrationRequest(
                accessToken: try context.requiredAccessToken(),
                migrationId: request.migrationId),
            context.onward())
        for try await item in states {
            try await items.write(GatewayV1.WatchMigrationItem(migration: item.migration))
        }
    }
}
