import Addresses
import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Accepts a request for a link to the deletion page (G-19). Like `requestPasswordReset`, it
    /// does not look up whether the address has an account: `RequestedLinkMailing` does so later.
    func requestDeletionLink(
        _ request: GatewayV1.RequestDeletionLinkRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestDeletionLinkResponse {
        let address = try EmailAddress.required(request.email)
        let call = try RepeatableCall(
            AccountDeletionsDescription.requestDeletionLink, request, context, keys)
        try await RequestedLinkMailing.Request(
            address, keys, origin: CallOrigin(context, keys)
        ).write(.deletionLink, call, in: store, writer, now: time.now())
        return IdentityV1.RequestDeletionLinkResponse()
    }
}
