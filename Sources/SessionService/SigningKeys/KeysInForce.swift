import Cryptography
import ServiceRuntime
import Synchronization

/// The signing keys as they are just now (S-01): a snapshot that is replaced whole when one is
/// made, signs or goes, so that a change is in force with the next token that is signed or read.
final class KeysInForce: Sendable {
    /// What one ring signs and verifies with.
    final class Snapshot: Sendable {
        let ring: SigningKeyRing
        /// The change that made it so, by `nextVersion`.
        let version: UInt64
        let signer: TokenSigner
        let verifier: TokenVerifier
        /// Reads what retired keys have signed; nothing that it reads is good.
        let retiredVerifier: TokenVerifier
        /// The key set as it is published.
        let keySetText: String
        /// SHA-256 of that, by which followers see a change.
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
    /// The snapshot's, for `known`, which every validation asks: no lock, and no reference to the
    /// snapshot that all event loops would count together.
    private let version = Atomic<UInt64>(0)
    private let verified = TokenCache()

    init(_ ring: SigningKeyRing, issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
        state = Mutex(
            State(snapshot: Snapshot(ring, version: 0, issuer: issuer, audience: audience)))
    }

    /// What holds now.
    var current: Snapshot { state.withLock { $0.snapshot } }

    /// A token that was verified under the keys that hold now; nil for any other. What was verified
    /// under keys from before is verified anew, so that nothing outlives a revocation here.
    func known(_ token: String) -> CachedToken? {
        let version = version.load(ordering: .acquiring)
        guard let known = verified[token], known.keys == version else { return nil }
        return known
    }

    /// Keeps a token that was verified.
    func insert(_ known: CachedToken, for token: String) { verified.insert(known, for: token) }

    /// Forgets tokens that have expired by `now`.
    func forget(expiredAt now: Timestamp) { verified.forget(expiredAt: now) }

    /// A number for a change, taken inside its transaction: those run one after the other, so
    /// numbers have the order of the commits.
    func nextVersion() -> UInt64 {
        state.withLock { state in
            state.versionsSeen += 1
            return state.versionsSeen
        }
    }

    /// Another ring holds from now on, unless that of a later change does already: two changes may
    /// be answered in any order, and a revoked key must not come back by the earlier one.
    func replace(with ring: SigningKeyRing, version: UInt64) {
        let next = Snapshot(ring, version: version, issuer: issuer, audience: audience)
        state.withLock { state in
            guard version > state.snapshot.version else { return }
            state.snapshot = next
            self.version.store(version, ordering: .releasing)
        }
    }
}
