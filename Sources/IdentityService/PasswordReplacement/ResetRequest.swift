import CallRecords
import EmailAddresses
import Messages
import RPC
import ServiceRuntime
import Storage

/// Takes on a wish for a link to set a new password (G-11). Nobody looks here whether the address
/// has an account: the wish is written and answered, and `ResetMailing` looks a little later.
///
/// Attack: a list of addresses is tried, and bytes and times are compared to learn who has an
/// account. An answer that was given before anybody looked can tell nothing, and the wait is
/// drawn at random, so that what is done for an account does not slow the next answer either.
struct ResetRequest: Sendable {
    /// The wait, in milliseconds.
    private static let waits: ClosedRange<UInt64> = 100...1_000

    let parts: IdentityParts

    /// - Throws: `auth/invalid-email`, `auth/idempotency-key-reused`.
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
            // Nothing to answer but that it was done; so nothing of the account is kept.
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
