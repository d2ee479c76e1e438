import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInChallengesHandler {
    /// F-03: ask identity what the challenge is charged to → charge the account's limit, and those on
    /// a number → have a code sent → return when the next one may be requested.
    func sendChallengeCode(
        _ request: GatewayV1.SendChallengeCodeRequest, _ context: CallContext
    ) async throws -> GatewayV1.SendChallengeCodeResponse {
        let onward = try context.onward(for: SignInChallengesDescription.sendChallengeCode)
        let device = try request.device.requiredID()
        let challenge = try await proofs.getChallenge(
            IdentityV1.GetChallengeRequest(
                challenge: request.challenge, deviceId: device, orEnded: true), onward)
        var ofNumber: LimitCharge?
        let (sent, ofAccount) = try await limits.charging(
            .challengeCode(account: challenge.accountId), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            // Identity refuses the kind where there is no number.
            guard request.kind == .phone, let number = PhoneNumber(challenge.phoneNumber) else {
                return try await proofs.sendChallengeCode(request, onward)
            }
            let (sent, charge) = try await limits.charging(
                .phoneCodeRequest(number: number.text, caller: LimitedCaller(context)), context,
                chargedOnceFor: onward.idempotencyKey
            ) {
                try await proofs.sendChallengeCode(request, onward)
            }
            if sent.isTest { await limits.refund(charge, context) }
            ofNumber = charge
            return sent
        }
        var wait = await limits.next(after: ofAccount, context)?.retryAfterMs ?? 0
        if let ofNumber {
            wait = max(wait, await limits.next(after: ofNumber, context)?.retryAfterMs ?? 0)
        }
        return GatewayV1.SendChallengeCodeResponse(
            hint: sent.hint, expiresAtMs: sent.expiresAtMs, nextAfterMs: Int64(clamping: wait))
    }
}
