import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.PhoneSignIn`: sign-in by a code sent to a phone number (G-06, G-14).
struct PhoneSignInHandler: PhoneSignInService {
    let codes: any PhoneCodesAPI
    let sessions: any SessionsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}

extension PhoneSignInHandler {
    /// Has a code sent within the limits.
    ///
    /// The limits' subject is the number in its canonical form, whether or not an account has it,
    /// and the response is the same in both cases. A refusal before a message was sent is
    /// refunded. So is one of the operator's test numbers, which must not use up the limit on its
    /// country.
    /// - Throws: `auth/invalid-phone-number`; `rpc/invalid-argument` for the device; as
    ///   `RateLimiter.charging`, and the errors of identity.
    func sending(
        to number: String, from device: GatewayV1.Device?, _ context: CallContext,
        _ onward: CallContext, _ send: () async throws -> IdentityV1.RequestCodeResponse
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        _ = try device.requiredID()
        // Text that is not a number is rejected before it is charged.
        let number = try PhoneNumber.required(number)
        let (sent, charge) = try await limits.charging(
            .phoneCodeRequest(number: number.text, caller: LimitedCaller(context)), context,
            chargedOnceFor: onward.idempotencyKey, send)
        if sent.isTest { await limits.refund(charge, context) }
        return answer(sent, charge, await limits.next(after: charge, context))
    }

    private func answer(
        _ sent: IdentityV1.RequestCodeResponse, _ charge: LimitCharge,
        _ next: RateLimitV1.Decision?
    ) -> GatewayV1.RequestPhoneCodeResponse {
        // Another limit may have been the strictest one, and a retry is not counted again. In both
        // cases the number of this attempt follows from the decision on the next one.
        let before = (next?.attempt ?? 1).subtractingReportingOverflow(1)
        return GatewayV1.RequestPhoneCodeResponse(
            requestId: sent.requestId, expiresAtMs: sent.expiresAtMs,
            attempt: max(charge.attempt, before.overflow ? 0 : before.partialValue),
            nextAfterMs: Int64(clamping: next?.retryAfterMs ?? 0))
    }

    /// G-13, G-14: as `requestSignInCode`, for a caller with a session. Identity checks that a code
    /// to prove goes to the account's own number, and that one to link is requested with a recent
    /// proof.
    func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        let onward = try context.onward(for: PhoneSignInDescription.requestPhoneCode)
        _ = try await tokens.requiredAccount(context)
        return try await sending(
            to: request.phoneNumber, from: request.device, context, onward
        ) {
            try await codes.requestPhoneCode(request, onward)
        }
    }

    /// G-06: charge the limit → have a code sent → return when the next one may be requested
    ///
    func requestSignInCode(
        _ request: GatewayV1.RequestSignInCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestSignInCodeResponse {
        let onward = try context.onward(for: PhoneSignInDescription.requestSignInCode)
        let sent = try await sending(
            to: request.phoneNumber, from: request.device, context, onward
        ) {
            try await codes.requestSignInCode(request, onward)
        }
        return GatewayV1.RequestSignInCodeResponse(
            requestId: sent.requestId, expiresAtMs: sent.expiresAtMs, attempt: sent.attempt,
            nextAfterMs: sent.nextAfterMs)
    }
}
