package import Cryptography
package import Messages

/// Makes and checks the seal on identity's word that an account has proved itself.
///
/// Attack it stops: a gateway that was taken over asking the session service for sessions of
/// accounts that never signed in. Only identity and session hold the key; the gateway carries the
/// proof and cannot make one.
package struct SignInProofSeal: Sendable {
    private let key: KeyedHash

    /// A seal under the key that identity and session share.
    package init(key: KeyedHash) {
        self.key = key
    }

    /// `proof` with its MAC.
    package func seal(_ proof: IdentityV1.SignInProof) -> IdentityV1.SignInProof {
        var sealed = proof
        sealed.mac = key.hash(Self.message(proof))
        return sealed
    }

    /// Whether the proof's MAC is ours, compared in constant time.
    package func isGenuine(_ proof: IdentityV1.SignInProof) -> Bool {
        constantTimeEqual(key.hash(Self.message(proof)), proof.mac)
    }

    /// What the MAC covers.
    private static func message(_ proof: IdentityV1.SignInProof) -> [UInt8] {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        return Array("postern/1 sign-in proof\0".utf8)
            + DelimitedParts.joined([
                Array(proof.accountId.utf8), Array(proof.amr.joined(separator: "\u{1f}").utf8),
                bytes(proof.authTimeMs), bytes(proof.provedAtMs), proof.nonce,
            ])
    }
}
