package import Cryptography
package import Messages

/// How an application proves to a server who it is: a MAC over the server's challenge, so
/// that a captured Hello is worth nothing on any other connection.
package enum ApplicationProof {
    /// The bytes that the proof covers. Each part carries its length, so that no two different
    /// Hellos have the same bytes.
    package static func message(challenge: [UInt8], _ hello: WireV1.Hello) -> [UInt8] {
        var message = Array("postern/1 hello\0".utf8)
        message += challenge
        for part in [hello.service, hello.application, hello.keyId] {
            let bytes = Array(part.utf8)
            let count = UInt16(truncatingIfNeeded: bytes.count)
            message += [UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
            message += bytes
        }
        // Without TLS there is no certificate to bind to; its hash's place holds zeros.
        message += [UInt8](repeating: 0, count: 32)
        return message
    }

    /// The proof by `key`.
    package static func make(
        challenge: [UInt8], _ hello: WireV1.Hello, key: KeyedHash
    ) -> [UInt8] {
        key.hash(message(challenge: challenge, hello))
    }
}
