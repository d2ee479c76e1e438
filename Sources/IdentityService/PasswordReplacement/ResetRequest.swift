import Addresses
import Messages
import RPC
import ServiceRuntime
import Storage

/// Accepts a request for a reset link (G-11). It does not look up whether the address has an
/// account: the request is stored and answered, and `ResetMailing` does the lookup later.
///
/// Attack: an attacker tries a list of addresses and compares sizes and times of the responses to
/// learn which have accounts. A response that precedes the lookup discloses nothing. The
/// delay before the lookup is random, so that the work for an existing account does not slow down
/// the next response either.
struct ResetRequest: Sendable {
    /// The delay, in milliseconds.
    private static let waits: ClosedRange<UInt64> = 100...1_000

    let parts: IdentityParts

    /// - Throws: `auth/invalid-email`, `auth/idempotency-key-reused`; `rpc/invalid-argument` for an
    ///   invalid idempotency key.
    func run(
        _ request: IdentityV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestPasswordResetResponse {
        let address = try EmailAddress.required(request.email)
        let lookUpKey = parts.keys.lookUpKey(of: address)
        let call = try RepeatableCall(
            "RequestPasswordReset", [lookUpKey], context, hash: parts.keys.calls)
        let wish = ResetWish(
            lookUpKey: lookUpKey, subject: parts.keys.subject(of: address),
            origin: CallOrigin(request.origin, hash: parts.keys.audit))
        let message = OutboxMessage(
            topic: OutboxTopic.passwordReset.rawValue, key: IdentityOutbox(parts: parts).newKey(),
            payload: wish.bytes, notBefore: parts.time.now() + wait(),
            queue: OutboxTopic.passwordReset.queue)
        try await parts.store.write { transaction in
            // The response has no content, so the stored one contains no account.
            guard try transaction.storedResponse(of: call) == nil else { return }
            try transaction.enqueue(message)
            try transaction.remember(call, StoredResponse(account: 0))
        }
        return IdentityV1.RequestPasswordResetResponse()
    }

    private func wait() -> Duration {
        let spread = Self.waits.upperBound - Self.waits.lowerBound + 1
        return .milliseconds(Self.waits.lowerBound + parts.randomness.integer() % spread)
    }
}
