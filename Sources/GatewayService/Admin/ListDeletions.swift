import Contracts
import Messages
import RPC

extension AdminHandler {
    /// Relays the call (G-20).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func listDeletions(
        _ request: GatewayV1.ListDeletionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListDeletionsResponse {
        let answer = try await accounts.listDeletions(
            IdentityV1.ListDeletionsRequest(pageToken: request.pageToken), context.onward())
        return GatewayV1.ListDeletionsResponse(
            deletions: answer.deletions, nextPageToken: answer.nextPageToken)
    }
}
