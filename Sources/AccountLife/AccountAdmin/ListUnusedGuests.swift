import IdentityService
import Messages
import RPC
import ServiceRuntime

extension AccountAdminHandler {
    private static let guestsMax: Int64 = 200
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Lists guests without a live session, for an operator (I-04). A page shows the unused ones
    /// among two hundred guests.
    func listUnusedGuests(
        _ request: GatewayV1.ListUnusedGuestsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListUnusedGuestsResponse {
        _ = try AdminCaller(context, actor: "", settings)
        let after = try PageToken.place(request.pageToken, parts: 1) { AccountID(text: $0[0]) }
        let rule = try await guests.rule()
        let page = try await guests.page(
            after: after, limit: Self.guestsMax, rule, context.onward())
        return GatewayV1.ListUnusedGuestsResponse(
            guests: page.guests.map {
                GatewayV1.UnusedGuest(
                    accountId: $0.account.text, lastSeenAtMs: $0.lastSeenAt?.milliseconds ?? 0,
                    deletedAtMs: $0.deletedAt?.milliseconds ?? 0)
            }, nextPageToken: page.next?.text ?? "",
            keptDays: UInt32(clamping: (rule.kept?.milliseconds ?? 0) / Self.dayMilliseconds))
    }
}
