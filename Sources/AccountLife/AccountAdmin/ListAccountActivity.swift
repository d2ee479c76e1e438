import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Returns what happened with an account, for a support desk (I-09, A-01): all kinds, and who
    /// acted.
    func listAccountActivity(
        _ request: GatewayV1.ListAccountActivityRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListAccountActivityResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        // The records of an erased account stay in the trail, but no caller may read them.
        guard try await store.read({ try $0.standing(account) }) != nil else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        let page = try await history.page(
            of: account, after: request.pageToken, size: request.pageSize, .all, context)
        // Record the access before returning what was read.
        let event = AuditEvent(.activityShown, account: account.key).by(caller)
        try await store.write(about: []) { try $0.audit(event) }
        return GatewayV1.ListAccountActivityResponse(
            entries: page.activities.map {
                GatewayV1.AccountActivityEntry(
                    entry: $0.message(in: context.metadata.voice), actor: $0.actor)
            }, nextPageToken: page.nextToken)
    }
}
