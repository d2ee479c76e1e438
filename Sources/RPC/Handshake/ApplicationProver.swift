package import Cryptography

/// The key with which an application authenticates itself: shared with the server (HMAC-SHA-256),
/// or an Ed25519 key whose public half only the server has.
package protocol ApplicationProver: Sendable {
    /// The proof over `message`.
    func proof(of message: [UInt8]) -> [UInt8]
    /// The verifier with which a server checks these proofs.
    var verifier: any ApplicationVerifier { get }
}

/// The key with which a server verifies an application's proofs.
package protocol ApplicationVerifier: Sendable {
    /// Whether `proof` is this key's proof over `message`.
    func verifies(proof: [UInt8], of message: [UInt8]) -> Bool
    /// Identifies this key among others without revealing it.
    var fingerprint: [UInt8] { get }
}

extension KeyedHash: ApplicationProver, ApplicationVerifier {
    /// The MAC, 32 bytes.
    package func proof(of message: [UInt8]) -> [UInt8] { hash(message) }

    /// The key itself, because it is shared.
    package var verifier: any ApplicationVerifier { self }

    /// Whether the MAC is right; compared in constant time.
    package func verifies(proof: [UInt8], of message: [UInt8]) -> Bool {
        verifies(proof, of: message)
    }

    /// A hash under the key of a label that no Hello starts with.
    package var fingerprint: [UInt8] { hash("postern/1 fingerprint\0".utf8) }
}

extension Ed25519SigningKey: ApplicationProver {
    /// The signature, 64 bytes. Empty, and therefore rejected, if the library has no memory for
    /// one.
    package func proof(of message: [UInt8]) -> [UInt8] {
        // `try?`: a client without memory for a signature is rejected like one without a key.
        (try? sign(message)) ?? []
    }

    /// The public key.
    package var verifier: any ApplicationVerifier { verifyingKey }
}

extension Ed25519VerifyingKey: ApplicationVerifier {
    /// Whether the signature is valid.
    package func verifies(proof: [UInt8], of message: [UInt8]) -> Bool {
        verifies(proof, of: message)
    }

    /// The public key.
    package var fingerprint: [UInt8] { bytes }
}
