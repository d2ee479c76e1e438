import Contracts
import Messages
import RPC

extension GuestsHandler {
    /// G-16: identify the caller's account → charge the limit → have the migration tried again, or
    /// its rest dropped.
    /// - Throws: `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/not-found`.
    func retryMigration(
        _ request: GatewayV1.RetryMigrationRequest, _ context: CallContext
    ) async throws -> GatewayV1.RetryMigrationResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID, units: LimitedAction.migrationUnits), context
        ) {
            try await guestData.retryMigration(
                IdentityV1.RetryMigrationRequest(
                    accessToken: session.accessToken, migrationId: request.migrationId,
                    origin: origin, drop: request.drop),
                context.onward())
        }
        return GatewayV1.RetryMigrationResponse(migration: answer.migration)
    }
}
