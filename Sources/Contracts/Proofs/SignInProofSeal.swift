package import Cryptography
package import Messages

/// Makes and verifies the MAC of a sign-in proof, with which identity confirms that an account has
/// authenticated.
///
/// Attack it stops: a compromised gateway requests sessions for accounts that never signed in. Only
/// identity and the session service hold the key; the gateway forwards the proof and cannot make
/// one.
package struct SignInProofSeal: Sendable {
    private let key: KeyedHash

    /// A seal with the key that identity and the session service share.
    package init(key: KeyedHash) {
        self.key = key
    }

    /// `proof` with its MAC.
    package func seal(_ proof: IdentityV1.SignInProof) -> IdentityV1.SignInProof {
        var sealed = proof
        sealed.mac = key.hash(Self.message(proof))
        return sealed
    }

    /// Whether the proof's MAC is valid; compared in constant time.
    package func isGenuine(_ proof: IdentityV1.SignInProof) -> Bool {
        constantTimeEqual(key.hash(Self.message(proof)), proof.mac)
    }

    /// The bytes that the MAC covers. Proofs of earlier builds have no generation or no purpose, and
    /// their MAC has no part for it. Attack: a gateway removes the generation, so that only times are
    /// compared, or the purpose, so that a re-authentication, which the gate has not judged, opens a
    /// session; then the MAC is wrong. The part of a purpose is a text and has a length of its own,
    /// so that no generation can be taken for it.
    ///
    /// The account's claims follow, if it has a version of them: a session program of an earlier
    /// release, which knows none, goes on with all other accounts. Attack: a gateway gives its
    /// account the role of an operator, or removes the version, so that a role that was taken away
    /// comes back. The number of the roles is before them, so that no part can be moved from the
    /// roles to what follows.
    private static func message(_ proof: IdentityV1.SignInProof) -> [UInt8] {
        let parts = [
            Array(proof.accountId.utf8), Array(proof.amr.joined(separator: "\u{1f}").utf8),
            [proof.authTimeMs].bigEndianBytes, [proof.provedAtMs].bigEndianBytes, proof.nonce,
        ]
        let generation =
            proof.sessionGeneration == 0 ? [] : [[proof.sessionGeneration].bigEndianBytes]
        let purpose =
            proof.purpose == .unspecified
            ? [] : [Array("purpose \(proof.purpose.rawValue)".utf8)]
        return Array("postern/1 sign-in proof\0".utf8)
            + DelimitedParts.joined(parts + generation + purpose + claims(in: proof))
    }

    private static func claims(in proof: IdentityV1.SignInProof) -> [[UInt8]] {
        guard proof.claimsVersion != 0 else { return [] }
        let head = "claims \(proof.claimsVersion) roles \(proof.roles.count)"
        return ([head] + proof.roles + [proof.claimsJson]).map { Array($0.utf8) }
    }
}
