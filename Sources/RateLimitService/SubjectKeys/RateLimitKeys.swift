package import Cryptography
package import ServiceRuntime

/// The keys that the rate-limit service works with, each for one purpose, all out of its master key.
package struct RateLimitKeys: Sendable {
    /// The first secret that subjects are hashed under (`SubjectKeyRing`).
    let subjects: KeyedHash
    /// Seals the later ones.
    let secrets: SealedBox
    /// Which call made a charge (G-25); never rotated, since what it finds lives for a minute.
    let calls: KeyedHash

    /// Keys out of the service's `master` key of 32 random bytes. `randomness` makes the nonces of
    /// what is sealed.
    /// - Throws: `CryptographyError.invalidKey`.
    package init(master: SecretBytes, randomness: any Randomness) throws {
        subjects = KeyedHash(master: master, purpose: "rate-limit subjects")
        calls = KeyedHash(master: master, purpose: "rate-limit/call")
        secrets = try SealedBox(
            keys: [1: KeyDerivation.key(from: master, purpose: "rate-limit/subject secret")],
            current: 1, randomness: randomness)
    }

    /// The id of the charge that a call with this idempotency key makes: the same for a repeat, so
    /// that it is charged once (G-25). What is charged goes into it: the same idempotency key on
    /// another subject is another charge, or one key would open every subject.
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
