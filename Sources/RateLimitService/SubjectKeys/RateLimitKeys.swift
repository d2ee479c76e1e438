package import Cryptography
package import ServiceRuntime
package import Storage

/// The keys of the rate-limit service, each for one purpose, all derived from its master key.
package struct RateLimitKeys: StoreKeys {
    /// The first secret that subjects are hashed under (`SubjectKeyRing`).
    let subjects: KeyedHash
    /// Seals the later ones.
    let secrets: SealedBox
    /// Identifies the call that made a charge (`ChargeIDs`).
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

    /// For each of the oldest sealed secrets, whether these keys open it (`Store.requireKey`). A
    /// store whose secret was never rotated has none.
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        try session.query(
            """
            SELECT number, secret FROM subject_secret
            WHERE secret IS NOT NULL ORDER BY number LIMIT ?
            """,
            [.integer(limit)]
        ) { row in
            secrets.opens(try row.blob(1), at: .subjectSecret(try row.integer(0)))
        }
    }
}
