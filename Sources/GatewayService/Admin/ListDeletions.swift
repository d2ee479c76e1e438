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
            deletions: answer.deletions.map(GatewayV1.AdminDeletion.init),
            nextPageToken: answer.nextPageToken)
    }
}

extension GatewayV1.AdminDeletion {
    fileprivate init(_ deletion: IdentityV1.AdminDeletion) {
        self.init(
            accountId: deletion.accountId,
            deletion: deletion.deletion.map(GatewayV1.Deletion.init), step: deletion.step,
            attempts: deletion.attempts, nextAttemptAtMs: deletion.nextAttemptAtMs,
            source: deletion.source, overdue: deletion.overdue)
    }
}
