import Contracts
package import Cryptography
package import ServiceRuntime

/// The keys of the rate-limit service, each for one purpose, all derived from its master key.
package struct RateLimitKeys: Sendable {
    /// The first secret that subjects are hashed under (`SubjectKeyRing`).
    let subjects: KeyedHash
    /// Seals the later ones.
    let secrets: SealedBox
    /// Identifies the call that made a charge (G-25). Never rotated, because the charges it
    /// identifies are kept for one minute.
    let calls: KeyedHash

    /// Derives the keys from the service's `master` key of 32 random bytes. `randomness` makes the
    /// nonces of sealed values.
    /// - Throws: `CryptographyError.invalidKey`.
    package init(master: SecretBytes, randomness: any Randomness) throws {
        subjects = KeyedHash(master: master, purpose: "rate-limit subjects")
        calls = KeyedHash(master: master, purpose: "rate-limit/call")
        secrets = try SealedBox(
            keys: [1: KeyDerivation.key(from: master, purpose: "rate-limit/subject secret")],
            current: 1, randomness: randomness)
    }

    /// The id of the charge of a call with this idempotency key. A retry has the same id, so it is
    /// charged once (G-25). The charges are part of it. Attack: with one idempotency key, calls on
    /// many subjects would count as retries of the first one and would not be charged.
    func chargeID(
        _ application: String, _ idempotencyKey: String, _ charges: [AskedCharge]
    ) -> Int64 {
        var message = Array("charge\0\(application)\0\(idempotencyKey)\0".utf8)
        for charge in charges {
            let subject = charge.limit.definition.subject.fold(charge.subject)
            message += "\(charge.limit.number)\0\(subject.utf8.count)\0\(subject)".utf8
        }
        let bits = calls.lookUpKey(message).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return max(1, Int64(bits >> 1))
    }
}
