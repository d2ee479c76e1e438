import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// Returns a migration of the caller's account, or its latest (G-16).
    func getMigration(
        _ request: GatewayV1.GetMigrationRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetMigrationResponse {
        let id = try Self.migration(request.migrationId)
        let migration = try await store.read { session in
            try message(Self.migration(id, of: call.account, in: session), in: session)
        }
        return GatewayV1.GetMigrationResponse(migration: migration)
    }

    /// The id in a request; nil for the latest.
    /// - Throws: `rpc/invalid-argument`.
    static func migration(_ text: String) throws(ServiceError) -> MigrationID? {
        guard !text.isEmpty else { return nil }
        guard let id = MigrationID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["migration_id"])
        }
        return id
    }

    /// A migration of an account.
    /// - Parameter id: Nil for the latest.
    /// - Throws: `rpc/not-found`, also for one of another account.
    static func migration(
        _ id: MigrationID?, of account: AccountID, in session: some SQLSession
    ) throws -> StoredMigration {
        let found =
            try id.map { try session.migration($0) }
            ?? session.migrations(of: account, limit: 1).first
        guard let found, found.account == account, found.state != .receiving else {
            throw ServiceError(.notFound, fields: ["migration_id"])
        }
        return found
    }
}
