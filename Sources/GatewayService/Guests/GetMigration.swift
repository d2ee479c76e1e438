import Contracts
import Messages
import RPC

extension GuestsHandler {
    /// G-16: a migration of the caller's account.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `rpc/not-found`.
    func getMigration(
        _ request: GatewayV1.GetMigrationRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetMigrationResponse {
        let answer = try await guestData.getMigration(
            IdentityV1.GetMigrationRequest(
                accessToken: try context.requiredAccessToken(),
                migrationId: request.migrationId),
            context.onward())
        return GatewayV1.GetMigrationResponse(migration: answer.migration)
    }
}
