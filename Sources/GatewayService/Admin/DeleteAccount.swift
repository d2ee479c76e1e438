import Contracts
import Messages
import RPC

extension AdminHandler {
    /// Relays the call, with the calling application in `actor` (G-20).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    func deleteAccount(
        _ request: GatewayV1.DeleteAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.DeleteAccountResponse {
        let answer = try await accounts.deleteAccount(
            IdentityV1.DeleteAccountRequest(
                accountId: request.accountId, wait: request.wait,
                actor: Self.actor(request.actor, context), backendDone: request.backendDone),
            context.onward())
        return GatewayV1.DeleteAccountResponse(deletion: answer.deletion)
    }
}
