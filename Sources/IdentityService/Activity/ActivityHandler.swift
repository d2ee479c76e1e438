import Contracts
import Messages
import RPC
import ServiceRuntime

/// `listActivity` of `postern.gateway.v1.AccountSessions`.
struct ActivityHandler: IdentityAccountSessionsService, OwnerCallsHandler {
    let calls: AccountCalls
    let owners: SessionOwners
    let history: ActivityHistory

    /// Returns what happened with the caller's account (A-01, G-22): the kinds that owners are
    /// shown, without who acted.
    func listActivity(
        _ request: GatewayV1.ListActivityRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.ListActivityResponse {
        let page = try await history.page(
            of: call.owner.account, after: request.pageToken, size: request.pageSize, .toOwner,
            call.frame.context)
        return GatewayV1.ListActivityResponse(
            entries: page.activities.map {
                $0.message(in: call.frame.voice, inSession: call.owner.session)
            }, nextPageToken: page.nextToken)
    }
}
