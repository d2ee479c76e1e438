package import Cryptography

/// What an application proves itself with: a key that it shares with the server (HMAC-SHA-256), or
/// one whose public half alone the server has (Ed25519).
package protocol ApplicationProver: Sendable {
    /// The proof over `message`.
    func proof(of message: [UInt8]) -> [UInt8]
    /// What a server checks such proofs with.
    var verifier: any ApplicationVerifier { get }
}

/// What a server checks an application's proofs with.
package protocol ApplicationVerifier: Sendable {
    /// Whether `proof` is this key's over `message`.
    func verifies(proof: [UInt8], of message: [UInt8]) -> Bool
    /// Tells this key from any other, and tells nothing about it.
    var fingerprint: [UInt8] { get }
}

extension KeyedHash: ApplicationProver, ApplicationVerifier {
    /// The MAC, 32 bytes.
    package func proof(of message: [UInt8]) -> [UInt8] { hash(message) }

    /// The key itself: it is shared.
    package var verifier: any ApplicationVerifier { self }

    /// Whether the MAC is right, in constant time.
    package func verifies(proof: [UInt8], of message: [UInt8]) -> Bool {
        verifies(proof, of: message)
    }

    /// A hash under the key, of a label that no Hello begins with.
    package var fingerprint: [UInt8] { hash("postern/1 fingerprint\0".utf8) }
}

extension Ed25519SigningKey: ApplicationProver {
    /// The signature, 64 bytes; empty, and so refused, if the library has no memory for one.
    package func proof(of message: [UInt8]) -> [UInt8] {
        // `try?`: a client without memory for a signature is refused like one without a key.
        (try? sign(message)) ?? []
    }

    /// The public half.
    package var verifier: any ApplicationVerifier { verifyingKey }
}

extension Ed25519VerifyingKey: ApplicationVerifier {
    /// Whether the signature is right.
    package func verifies(proof: [UInt8], of message: [UInt8]) -> Bool {
        verifies(proof, of: message)
    }

    /// The public key.
    package var fingerprint: [UInt8] { bytes }
}
