import Cryptography
import ServiceRuntime
import Synchronization

/// The current signing keys (S-01): an immutable snapshot that is replaced as a whole when a key is
/// added, activated or removed, so that a change applies to the next token that is signed or read.
final class CurrentSigningKeys: Sendable {
    /// The signer and verifiers of one ring.
    final class Snapshot: Sendable {
        let ring: SigningKeyRing
        /// The change that produced it, from `nextVersion`.
        let version: UInt64
        let signer: TokenSigner
        let verifier: TokenVerifier
        /// Reads tokens of retired keys, none of which is valid any more.
        let retiredVerifier: TokenVerifier
        /// The published JWKS.
        let keySetText: String
        /// SHA-256 of that text, by which followers detect a change.
        let keySetHash: [UInt8]

        init(_ ring: SigningKeyRing, version: UInt64, issuer: String, audience: String) {
            self.ring = ring
            self.version = version
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
    private struct State {
        var snapshot: Snapshot
        var versionsSeen: UInt64 = 0
    }

    private let state: Mutex<State>
    /// The snapshot's version, for `known`, which runs for every validation: no lock, and no
    /// reference count on the snapshot that all event loops would contend for.
    private let version = Atomic<UInt64>(0)
    private let verified = TokenCache()

    init(_ ring: SigningKeyRing, issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
        state = Mutex(
            State(snapshot: Snapshot(ring, version: 0, issuer: issuer, audience: audience)))
    }

    /// The current snapshot.
    var current: Snapshot { state.withLock { $0.snapshot } }

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

    /// A version for a change, taken inside its transaction. Transactions run one after the other,
    /// so versions have the order of the commits.
    func nextVersion() -> UInt64 {
        state.withLock { state in
            state.versionsSeen += 1
            return state.versionsSeen
        }
    }

    /// Replaces the ring, unless that of a later change is already current: two changes may
    /// complete in any order, and the earlier one must not bring a revoked key back.
    func replace(with ring: SigningKeyRing, version: UInt64) {
        let next = Snapshot(ring, version: version, issuer: issuer, audience: audience)
        state.withLock { state in
            guard version > state.snapshot.version else { return }
            state.snapshot = next
            self.version.store(version, ordering: .releasing)
        }
    }
}
