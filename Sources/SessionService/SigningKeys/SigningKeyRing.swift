import Cryptography
import Logging
import ServiceRuntime
import Storage

/// Why the signing keys could not be loaded. The description tells the operator what to do.
package enum SigningKeyError: Error, Hashable, CustomStringConvertible {
    /// The active key could not be opened, or does not match its public key.
    case doesNotOpen

    package var description: String {
        """
        the signing key in the session store does not open: start with the master key that the \
        store was made with
        """
    }
}

/// The keys of access tokens at one moment (S-01): one signs, all published ones verify. Tokens of
/// retired keys can be read and are no longer valid.
struct SigningKeyRing: Sendable {
    let active: SigningKey
    let published: JSONWebKeySet
    /// Retired keys, by which an expired token is still recognised as ours.
    let retired: JSONWebKeySet
    /// Their rows, for the schedule.
    let stored: [StoredSigningKey]

    /// Loads the keys from `store`; the first start generates one.
    /// - Throws: `SigningKeyError`, or what the store throws.
    static func load(
        from store: Store, box: SealedBox, randomness: any Randomness, logger: Logger
    ) async throws -> SigningKeyRing {
        let (stored, retired) = try await store.write { transaction in
            let retired = try transaction.retiredSigningKeys()
            let keys = try transaction.signingKeys()
            if keys.contains(where: { $0.phase == .active }) { return (keys, retired) }
            // There is none at the first start, or after a program that knew no announced keys.
            let generator = SigningKeyGenerator(box: box, randomness: randomness)
            let announced = keys.first { $0.phase == .announced }
            try transaction.take(announced.map { .activate($0.id) } ?? .start, generator)
            return (try transaction.signingKeys(), retired)
        }
        let ring = try SigningKeyRing(stored, retired: retired, box: box)
        logger.info(
            "session.signing_keys.loaded", "signing keys loaded",
            fields: [.key: .text(ring.active.identifier)])
        return ring
    }

    /// The ring of `stored` keys, none of them retired, and of `retired` ones, none of them
    /// revoked.
    init(
        _ stored: [StoredSigningKey], retired: [StoredSigningKey], box: SealedBox
    ) throws {
        guard let active = stored.first(where: { $0.phase == .active }) else {
            throw SigningKeyError.doesNotOpen
        }
        self.active = try active.signingKey(box: box)
        self.stored = stored
        published = try JSONWebKeySet(try stored.map { try $0.verifyingKey })
        self.retired = try JSONWebKeySet(try retired.map { try $0.verifyingKey })
    }
}

extension StoredSigningKey {
    /// The public key.
    var verifyingKey: VerifyingKey {
        get throws { try VerifyingKey(x: x, y: y) }
    }

    /// The private key, which must match the public one in the row.
    fileprivate func signingKey(box: SealedBox) throws -> SigningKey {
        guard let privateNumber else { throw SigningKeyError.doesNotOpen }
        let key: SigningKey
        do {
            key = try SigningKey(
                scalar: try box.openSecret(privateNumber, at: .signingKey(id)))
        } catch is SealedBoxError {
            throw SigningKeyError.doesNotOpen
        }
        guard key.verifyingKey.x == x, key.verifyingKey.y == y else {
            throw SigningKeyError.doesNotOpen
        }
        return key
    }
}
