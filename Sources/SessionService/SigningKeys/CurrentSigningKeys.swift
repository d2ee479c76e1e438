import Cryptography
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// The current signing keys (S-01): an immutable snapshot that is replaced as a whole when a key is
/// added, activated or removed, so that a change applies to the next token that is signed or read.
final class CurrentSigningKeys: Sendable {
    /// The signer and verifiers of one ring.
    final class Snapshot: Sendable {
        let ring: SigningKeyRing
        /// The ring's version.
        let version: UInt64
        let signer: TokenSigner
        let verifier: TokenVerifier
        /// Reads tokens of retired keys, none of which is valid any more.
        let retiredVerifier: TokenVerifier
        /// The published JWKS.
        let keySetText: String
        /// SHA-256 of that text, by which followers detect a change.
        let keySetHash: [UInt8]

        init(_ ring: SigningKeyRing, issuer: String, audience: String) {
            self.ring = ring
            version = UInt64(clamping: ring.version)
            let type = TokenSigner.accessTokenType
            signer = TokenSigner(key: ring.active, type: type)
            verifier = TokenVerifier(
                keys: ring.published, type: type, issuer: issuer, audience: audience)
            retiredVerifier = TokenVerifier(
                keys: ring.retired, type: type, issuer: issuer, audience: audience)
            keySetText = ring.published.json
            keySetHash = SHA256.hash(keySetText.utf8)
        }
    }

    private let issuer: String
    private let audience: String
    private let snapshot: Mutex<Snapshot>
    /// The snapshot's version, for `known`, which runs for every validation: no lock, and no
    /// reference count on the snapshot that all event loops would contend for.
    private let version: Atomic<UInt64>
    private let verified = TokenCache()

    init(_ ring: SigningKeyRing, issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
        let first = Snapshot(ring, issuer: issuer, audience: audience)
        snapshot = Mutex(first)
        version = Atomic(first.version)
    }

    /// The current snapshot.
    var current: Snapshot { snapshot.withLock { $0 } }

    /// A token that was verified under the current keys; nil for any other. A token verified under
    /// earlier keys is verified again, so that none outlives the revocation of its key.
    func known(_ token: String) -> CachedToken? {
        let version = version.load(ordering: .acquiring)
        guard let known = verified[token], known.keys == version else { return nil }
        return known
    }

    /// Caches a verified token.
    func insert(_ known: CachedToken, for token: String) { verified.insert(known, for: token) }

    /// Removes tokens that have expired by `now`.
    func forget(expiredAt now: Timestamp) { verified.forget(expiredAt: now) }

    /// Replaces the ring after its change has been committed, unless that of a later change is
    /// already current: two changes may complete in any order, and the earlier one must not bring a
    /// revoked key back.
    func replace(with ring: SigningKeyRing) {
        let next = Snapshot(ring, issuer: issuer, audience: audience)
        snapshot.withLock { snapshot in
            guard next.version > snapshot.version else { return }
            snapshot = next
            version.store(next.version, ordering: .releasing)
        }
    }
}

/// The keys of access tokens at one moment (S-01): one signs, all published ones verify. Tokens of
/// retired keys can be read and are no longer valid.
struct SigningKeyRing: Sendable {
    /// What a change of the keys decides about.
    static let subjects: [Subject] = [.table("signing_key"), .table("signing_keys_version")]

    let active: SigningKey
    let published: JSONWebKeySet
    /// Retired keys, by which an expired token is still recognised as ours.
    let retired: JSONWebKeySet
    /// Their rows, for the schedule.
    let stored: [StoredSigningKey]
    /// The number of changes that the store has seen when these keys were read. A change raises it
    /// in its transaction, so versions have the order of the commits, also between instances.
    let version: Int64

    /// Loads the keys from `store`; the first start generates one.
    /// - Throws: `SessionKeyError`, or what the store throws.
    static func load(
        from store: Store, box: SealedBox, randomness: any Randomness, logger: Logger
    ) async throws -> SigningKeyRing {
        let ring = try await store.write(about: SigningKeyRing.subjects) { transaction in
            let keys = try transaction.signingKeys()
            if !keys.contains(where: { $0.phase == .active }) {
                // There is none at the first start, or after a program that knew no announced keys.
                let generator = SigningKeyGenerator(box: box, randomness: randomness)
                let announced = keys.first { $0.phase == .announced }
                try transaction.take(announced.map { .activate($0.id) } ?? .start, generator)
            }
            return try SigningKeyRing(in: transaction, box: box)
        }
        logger.info(
            "session.signing_keys.loaded", "signing keys loaded",
            fields: [.key: .text(ring.active.identifier)])
        return ring
    }

    /// The ring of the keys in the store.
    /// - Throws: `SessionKeyError`, or what the store throws.
    init(in session: some SQLSession, box: SealedBox) throws {
        stored = try session.signingKeys()
        guard let active = stored.first(where: { $0.phase == .active }) else {
            throw SessionKeyError.signingKeyDoesNotOpen
        }
        self.active = try active.signingKey(box: box)
        published = try JSONWebKeySet(try stored.map { try $0.verifyingKey })
        retired = try JSONWebKeySet(try session.retiredSigningKeys().map { try $0.verifyingKey })
        version = try session.signingKeysVersion()
    }
}

extension StoredSigningKey {
    /// The public key.
    var verifyingKey: VerifyingKey {
        get throws { try VerifyingKey(x: x, y: y) }
    }

    /// The private key, which must match the public one in the row.
    fileprivate func signingKey(box: SealedBox) throws -> SigningKey {
        guard let privateNumber else { throw SessionKeyError.signingKeyDoesNotOpen }
        let key: SigningKey
        do {
            key = try SigningKey(
                scalar: try box.openSecret(privateNumber, at: .signingKey(id)))
        } catch is SealedBoxError {
            throw SessionKeyError.signingKeyDoesNotOpen
        }
        guard key.verifyingKey.x == x, key.verifyingKey.y == y else {
            throw SessionKeyError.signingKeyDoesNotOpen
        }
        return key
    }
}
