import Cryptography
package import Messages

/// How an application proves to a server who it is: a MAC or a signature over the server's
/// challenge, so that a captured Hello is worth nothing on any other connection. With TLS it also
/// covers the server's certificate: whoever sits in the middle with another one, even one that the
/// client trusts, cannot hand the proof on.
package enum ApplicationProof {
    /// What stands in the place of the certificate's hash without TLS.
    package static let noCertificate = [UInt8](repeating: 0, count: SHA256.byteCount)

    /// The bytes that the proof covers. Each part carries its length, so that no two different
    /// Hellos have the same bytes.
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

    /// The proof by `key`.
    package static func make(
        challenge: [UInt8], _ hello: WireV1.Hello, key: any ApplicationProver,
        leafHash: [UInt8] = noCertificate
    ) -> [UInt8] {
        key.proof(of: message(challenge: challenge, hello, leafHash: leafHash))
    }
}
