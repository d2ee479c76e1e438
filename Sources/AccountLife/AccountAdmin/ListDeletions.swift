import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    private static let deletionsMax = 200

    /// Lists the deletions that wait or are under way for an operator (G-20), in pages.
    func listDeletions(
        _ request: GatewayV1.ListDeletionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListDeletionsResponse {
        _ = try AdminCaller(context, actor: "", settings)
        let last = try PageToken.place(request.pageToken, parts: 2) {
            parts -> (requestedAt: Timestamp, account: AccountID)? in
            guard let milliseconds = Int64(parts[0]), let account = AccountID(text: parts[1])
            else { return nil }
            return (Timestamp(milliseconds: milliseconds), account)
        }
        let found = try await store.read { try $0.deletions(after: last, limit: Self.deletionsMax) }
        let overdueBefore = time.now() - settings.deletion.overdue
        let isFull = found.count == Self.deletionsMax
        return GatewayV1.ListDeletionsResponse(
            deletions: found.map { $0.adminMessage(overdueBefore: overdueBefore) },
            nextPageToken: isFull
                ? found.last.map {
                    PageToken.text("\($0.requestedAt.milliseconds)", $0.account.text)
                } ?? "" : "")
    }
}

extension StoredDeletion {
    /// The deletion as an operator sees it. It is overdue if it began before the moment, as
    /// `DeletionCheck` counts it.
    fileprivate func adminMessage(overdueBefore moment: Timestamp) -> GatewayV1.AdminDeletion {
        GatewayV1.AdminDeletion(
            accountId: account.text, deletion: message, step: step?.name ?? "",
            attempts: UInt32(clamping: attempts), nextAttemptAtMs: nextAttemptAt.milliseconds,
            source: source.rawValue, overdue: begunAt.map { $0 < moment } ?? false)
    }
}
