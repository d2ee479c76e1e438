import Cryptography

/// Turns what a caller names into what is kept.
struct SubjectHash: Sendable {
    private let key: KeyedHash

    init(_ key: KeyedHash) {
        self.key = key
    }

    /// The key of `limit` and `subject`. The limit's name goes into the hash, so that two
    /// limits on one address cannot be told to be about the same.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        let definition = limit.definition
        let folded = definition.subject.fold(subject)
        return LimitKey(
            limit: definition.number,
            hash: key.lookUpKey(Array("\(limit.rawValue)\0\(folded)".utf8)))
    }

    /// The id of the charge that a call with this idempotency key makes: the same for a repeat, so
    /// that it is charged once (G-25). What is charged goes into it: the same idempotency key on
    /// another subject is another charge, or one key would open every subject.
    func chargeID(
        _ application: String, _ idempotencyKey: String, _ charges: [AskedCharge]
    ) -> Int64 {
        var message = Array("charge\0\(application)\0\(idempotencyKey)\0".utf8)
        for charge in charges { message += limitKey(charge.limit, charge.subject).hash }
        let bits = self.key.lookUpKey(message).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return max(1, Int64(bits >> 1))
    }
}
