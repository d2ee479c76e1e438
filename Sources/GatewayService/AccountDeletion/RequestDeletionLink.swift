import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountDeletionHandler {
    /// G-19: charge the limit → have a link mailed. The limit's subject is the email as typed,
    /// whether or not an account has it, and the response is the same in both cases.
    func requestDeletionLink(
        _ request: GatewayV1.RequestDeletionLinkRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDeletionLinkResponse {
        let onward = try context.onward(for: AccountDeletionDescription.requestDeletionLink)
        // Text that is not an email is rejected before it is charged.
        _ = try EmailAddress.required(request.email)
        let (_, charge) = try await limits.charging(
            .deletionLink(email: request.email, caller: LimitedCaller(context)), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await deletions.requestDeletionLink(request, onward)
        }
        let next = await limits.nextMail(after: charge, context)
        // Rounded up: a person who waits so long can request another link.
        let seconds = next.afterMs / 1_000 + (next.afterMs % 1_000 > 0 ? 1 : 0)
        return GatewayV1.RequestDeletionLinkResponse(nextAfterSeconds: UInt32(clamping: seconds))
    }
}
