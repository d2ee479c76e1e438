import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    private static let deletionsMax = 200

    /// Lists the deletions that wait or are under way for an operator (G-20), in pages.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func listDeletions(
        _ request: IdentityV1.ListDeletionsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListDeletionsResponse {
        _ = try AdminCaller(context, actor: "", settings)
        let last = try DeletionPageToken(request.pageToken)
        let found = try await store.read {
            try $0.deletions(
                after: last.map { ($0.requestedAt, $0.account) }, limit: Self.deletionsMax)
        }
        let overdueBefore = time.now() - settings.deletion.overdue
        let isFull = found.count == Self.deletionsMax
        return IdentityV1.ListDeletionsResponse(
            deletions: found.map { $0.adminMessage(overdueBefore: overdueBefore) },
            nextPageToken: isFull ? found.last.map { DeletionPageToken($0).text } ?? "" : "")
    }
}

/// The last deletion of a page: "1735689600123.acc_…".
private struct DeletionPageToken: Sendable {
    let requestedAt: Timestamp
    let account: AccountID

    init(_ deletion: StoredDeletion) {
        requestedAt = deletion.requestedAt
        account = deletion.account
    }

    /// Nil for the first page.
    /// - Throws: `rpc/invalid-argument`.
    init?(_ text: String) throws(ServiceError) {
        if text.isEmpty { return nil }
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let milliseconds = Int64(parts[0]),
            let account = AccountID(text: String(parts[1]))
        else { throw ServiceError(.invalidArgument, fields: ["page_token"]) }
        requestedAt = Timestamp(milliseconds: milliseconds)
        self.account = account
    }

    var text: String { "\(requestedAt.milliseconds).\(account.text)" }
}

extension StoredDeletion {
    /// The deletion as an operator sees it. It is overdue if it began before the moment, as
    /// `DeletionCheck` counts it.
    fileprivate func adminMessage(overdueBefore moment: Timestamp) -> IdentityV1.AdminDeletion {
        IdentityV1.AdminDeletion(
            accountId: account.text, deletion: message, step: step?.name ?? "",
            attempts: UInt32(clamping: attempts), nextAttemptAtMs: nextAttemptAt.milliseconds,
            source: source.rawValue, overdue: begunAt.map { $0 < moment } ?? false)
    }
}
