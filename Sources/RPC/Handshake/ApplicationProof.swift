package import Cryptography
package import Messages

/// How an application authenticates itself to a server: a MAC or a signature over the
/// server's challenge, so that a captured Hello is useless on any other connection. With TLS the
/// proof also covers the server's certificate. A man in the middle with another certificate, even
/// one that the client trusts, cannot forward the proof.
package enum ApplicationProof {
    /// Used in place of the certificate's hash without TLS.
    package static let noCertificate = [UInt8](repeating: 0, count: SHA256.byteCount)

    /// The bytes that the proof covers. Each part is preceded by its length, so that no two
    /// different Hellos give the same bytes.
    /// - Parameter leafHash: SHA-256 of the server's leaf certificate.
    package static func message(
        challenge: [UInt8], _ hello: WireV1.Hello, leafHash: [UInt8] = noCertificate
    ) -> [UInt8] {
        var message = Array("postern/1 hello\0".utf8)
        message += challenge
        for part in [hello.service, hello.application, hello.keyId] {
            let bytes = Array(part.utf8)
            let count = UInt16(truncatingIfNeeded: bytes.count)
            message += [UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
            message += bytes
        }
        message += leafHash
        return message
    }

    /// Makes the proof with `key`.
    package static func make(
        challenge: [UInt8], _ hello: WireV1.Hello, key: any ApplicationProver,
        leafHash: [UInt8] = noCertificate
    ) -> [UInt8] {
        key.proof(of: message(challenge: challenge, hello, leafHash: leafHash))
    }
}

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
