import Contracts
import Messages
import RPC
import ServiceRuntime

extension AdminHandler {
    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func listUnusedGuests(
        _ request: GatewayV1.ListUnusedGuestsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListUnusedGuestsResponse {
        let answer = try await accounts.listUnusedGuests(
            IdentityV1.ListUnusedGuestsRequest(pageToken: request.pageToken), context.onward())
        return GatewayV1.ListUnusedGuestsResponse(
            guests: answer.guests, nextPageToken: answer.nextPageToken, keptDays: answer.keptDays)
    }
}
