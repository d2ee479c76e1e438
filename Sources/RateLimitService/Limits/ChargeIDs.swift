import Cryptography
import Messages
import ServiceRuntime

/// The ids by which charges are refunded (`ChargeLedger`).
struct ChargeIDs: Sendable {
    /// Identifies the call that made a charge (G-25). Never rotated, because the charges it
    /// identifies are kept for one minute.
    let key: KeyedHash
    let randomness: any Randomness

    /// The id of the charge of a call with this idempotency key. A retry has the same id, so it is
    /// charged once (G-25). The charges are part of it. Attack: with one idempotency key, calls on
    /// many subjects would count as retries of the first one and would not be charged.
    func derived(
        from idempotencyKey: String, of application: String, _ charges: [RequestedCharge]
    ) -> Int64 {
        var message = Array("charge\0\(application)\0\(idempotencyKey)\0".utf8)
        for charge in charges {
            let subject = charge.limit.definition.subject.canonical(charge.subject)
            message += "\(charge.limit.number)\0\(subject.utf8.count)\0\(subject)".utf8
        }
        let bits = key.lookUpKey(message).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return max(1, Int64(bits >> 1))
    }

    /// The id of a charge without an idempotency key. The ledger keeps it in memory only, because
    /// it cannot be retried.
    /// - Throws: `rpc/invalid-argument`.
    func chosen(by request: RateLimitV1.ConsumeRequest) throws(ServiceError) -> Int64 {
        guard !request.chargeId.isEmpty else { return randomness.rowKey() }
        return try Self.read(request.chargeId)
    }

    /// A charge's id from its text form.
    /// - Throws: `rpc/invalid-argument` for a text that is not an id.
    static func read(_ text: String) throws(ServiceError) -> Int64 {
        guard let id = Int64(text, radix: 36) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
        return id
    }
}
