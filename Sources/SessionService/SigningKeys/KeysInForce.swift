import Cryptography
import Synchronization

/// The signing keys as they are just now (S-01): a snapshot that is replaced whole when one is
/// made, signs or goes, so that a change is in force with the next token that is signed or read.
final class KeysInForce: Sendable {
    /// What one ring signs and verifies with.
    final class Snapshot: Sendable {
        let ring: SigningKeyRing
        let signer: TokenSigner
        let verifier: TokenVerifier
        /// Reads what retired keys have signed; nothing that it reads is good.
        let retiredVerifier: TokenVerifier
        /// The key set as it is published.
        let keySetText: String
        /// SHA-256 of that, by which followers see a change.
        let keySetHash: [UInt8]
        /// What was verified under these keys: goes with them, so that nothing outlives a
        /// revocation here.
        let verified = KnownTokens()

        init(_ ring: SigningKeyRing, issuer: String, audience: String) {
            self.ring = ring
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
        /// Of the snapshot.
        var version: UInt64 = 0
        var versionsSeen: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ ring: SigningKeyRing, issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
        state = Mutex(State(snapshot: Snapshot(ring, issuer: issuer, audience: audience)))
    }

    /// What holds now.
    var current: Snapshot { state.withLock { $0.snapshot } }

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
        let next = Snapshot(ring, issuer: issuer, audience: audience)
        state.withLock { state in
            guard version > state.version else { return }
            (state.snapshot, state.version) = (next, version)
        }
    }
}
