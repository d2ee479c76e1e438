import Addresses
import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension PhoneSignInHandler {
    /// G-06: charge the limit → have a code sent → return when the next one may be requested
    ///
    ///
    /// The limits' subject is the number in its canonical form, whether or not an account has it,
    /// and the response is the same in both cases. A refusal before a message was sent is
    /// refunded. So is one of the operator's test numbers, which must not use up the limit on its
    /// country.
    /// - Throws: `auth/invalid-phone-number`, `auth/phone-country-not-allowed`,
    ///   `auth/too-many-requests`, `auth/invalid-access-token`, `rpc/invalid-argument`.
    package func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        let onward = try context.onward(for: "RequestPhoneCode")
        let origin = try Origin.of(request.device, context)
        // Text that is not a number is rejected before it is charged.
        let number = try PhoneNumber.required(request.phoneNumber)
        // A code to sign in needs no session, so a stale one must not stand in the way.
        let session =
            request.purpose == .link || request.purpose == .prove
            ? try await sessions.required(context) : nil
        let (sent, charge) = try await limits.charging(
            .phoneCodeRequest(number: number.text, caller: LimitedCaller(context)), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await codes.requestCode(
                IdentityV1.RequestCodeRequest(
                    phoneNumber: number.text,
                    purpose: IdentityV1.PhoneCodePurpose(rawValue: request.purpose.rawValue),
                    language: context.mailLanguage(), origin: origin,
                    accessToken: session?.accessToken ?? ""),
                onward)
        }
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
}
