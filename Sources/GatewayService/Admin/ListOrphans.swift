import Contracts
import Messages
import RPC
import ServiceRuntime

extension AdminHandler {
    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func listOrphans(
        _ request: GatewayV1.ListOrphansRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListOrphansResponse {
        let answer = try await accounts.listOrphans(
            IdentityV1.ListOrphansRequest(kind: request.kind, pageToken: request.pageToken),
            context.onward())
        return GatewayV1.ListOrphansResponse(
            orphans: answer.orphans, nextPageToken: answer.nextPageToken,
            checkedAtMs: answer.checkedAtMs)
    }
}
