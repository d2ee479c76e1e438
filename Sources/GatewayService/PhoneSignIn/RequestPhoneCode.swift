import Contracts
package import Messages
import PhoneNumbers
package import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-06: limit → have a code sent → tell when the next one can be asked for.
    ///
    /// The limits key on the number, all spellings of it as one, before anybody knows whether it has an
    /// account, and the answer is the same. A refusal before anything was sent costs nothing, nor
    /// does an operator's number for tests, which must not use up what real numbers of its country have.
    /// - Throws: `auth/invalid-phone-number`, `auth/phone-country-not-allowed`,
    ///   `auth/too-many-requests`, `auth/invalid-access-token`.
    package func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        let onward = try context.onward(for: "RequestPhoneCode")
        let origin = try Origin.of(request.device, context)
        // What is no number is nobody's, and costs nothing.
        let number = try PhoneNumber.required(request.phoneNumber)
        let (sent, charge) = try await limits.charging(
            .phoneCodeRequest(number: number.text, caller: LimitedCaller(context)), context,
            language: request.language, chargedOnceFor: onward.idempotencyKey
        ) {
            try await codes.requestCode(
                IdentityV1.RequestCodeRequest(
                    phoneNumber: number.text, purpose: request.purpose,
                    language: request.language, origin: origin, accessToken: request.accessToken),
                onward)
        }
        if sent.isTest { await limits.refund(charge, context) }
        return answer(sent, charge, await limits.next(after: charge, context))
    }

    private func answer(
        _ sent: IdentityV1.RequestCodeResponse, _ charge: LimitCharge,
        _ next: RateLimitV1.Decision?
    ) -> GatewayV1.RequestPhoneCodeResponse {
        // Another limit may have been the strictest one, and a repeat is not counted again: then
        // what the next one would be tells which this was.
        let before = (next?.attempt ?? 1).subtractingReportingOverflow(1)
        return GatewayV1.RequestPhoneCodeResponse(
            requestId: sent.requestId, expiresAtMs: sent.expiresAtMs,
            attempt: max(charge.attempt, before.overflow ? 0 : before.partialValue),
            nextAfterMs: next?.retryAfterMs ?? 0)
    }
}
