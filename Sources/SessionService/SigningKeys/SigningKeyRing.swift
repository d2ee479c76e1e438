import Cryptography
import Logging
import ServiceRuntime
import Storage

/// Why the signing keys cannot be had. The description tells the operator what to do.
package enum SigningKeyError: Error, Hashable, CustomStringConvertible {
    /// The active key does not open, or is not what it was.
    case doesNotOpen

    package var description: String {
        """
        the signing key in the session store does not open: start with the master key that the \
        store was made with
        """
    }
}

/// The keys of access tokens (S-01): one signs, all that are published verify.
struct SigningKeyRing: Sendable {
    let active: SigningKey
    let published: JSONWebKeySet

    /// The keys in `store`; the first start makes one.
    /// - Throws: `SigningKeyError`, or what the store throws.
    static func load(
        from store: Store, box: SealedBox, randomness: any Randomness, logger: Logger
    ) async throws -> SigningKeyRing {
        let stored = try await store.write { transaction in
            let keys = try transaction.signingKeys()
            if keys.contains(where: { $0.state == .active }) { return keys }
            let made = try StoredSigningKey(.generate(), id: randomness.rowKey(), box: box)
            try transaction.insert(made)
            try transaction.audit(AuditEvent(.signingKeyMade))
            return keys + [made]
        }
        let ring = try SigningKeyRing(stored, box: box)
        logger.info("signing keys are loaded", fields: [.key: .text(ring.active.identifier)])
        return ring
    }

    private init(_ stored: [StoredSigningKey], box: SealedBox) throws {
        guard let active = stored.first(where: { $0.state == .active }) else {
            throw SigningKeyError.doesNotOpen
        }
        self.active = try active.signingKey(box: box)
        published = try JSONWebKeySet(try stored.map { try VerifyingKey(x: $0.x, y: $0.y) })
    }
}

extension StoredSigningKey {
    /// `key`, to be stored as the active one.
    fileprivate init(_ key: SigningKey, id: Int64, box: SealedBox) throws {
        self.init(
            id: id, state: .active, x: key.verifyingKey.x, y: key.verifyingKey.y,
            privateNumber: try box.seal(key.scalar(), at: .signingKey(id)))
    }

    /// The private key, which must belong to the public one beside it.
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
