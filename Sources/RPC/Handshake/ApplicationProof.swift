import Cryptography
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
