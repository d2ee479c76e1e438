/// Ed25519 keys in files: PEM, as `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout`
/// write it, or the bare 32 bytes as hexadecimal or Base64 text.
extension Ed25519SigningKey {
    /// The private key in `path`, which only its owner may read.
    /// - Throws: `SecretFileError`, `CryptographyError`.
    package init(file path: String) throws {
        let content = try SecretFile.read(path)
        let seed = content.withBytes { bytes -> SecretBytes? in
            guard var der = PEM.content(of: bytes, label: "PRIVATE KEY") else { return nil }
            defer { wipe(&der) }
            guard der.starts(with: Self.pkcs8Head) else { return nil }
            return SecretBytes(copying: der.dropFirst(Self.pkcs8Head.count))
        }
        try self.init(seed: seed ?? SecretFile.readKey(path))
    }

    /// What stands before the seed in PKCS #8 (RFC 8410, section 7).
    private static let pkcs8Head: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04,
        0x20,
    ]
}

extension Ed25519VerifyingKey {
    /// The public key in `path`. Anybody may read it; but whoever may write it can let himself in,
    /// so that must be its owner alone.
    /// - Throws: `SecretFileError`, `CryptographyError`.
    package init(file path: String) throws {
        let content = try SecretFile.readPublic(path)
        let bytes = content.withBytes { Self.key(in: $0) }
        guard let bytes else { throw SecretFileError.notAKey(path: path) }
        try self.init(bytes: bytes)
    }

    private static func key(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        if let der = PEM.content(of: bytes, label: "PUBLIC KEY") {
            return der.starts(with: spkiHead) ? Array(der.dropFirst(spkiHead.count)) : nil
        }
        let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        return text.count == 64 ? Hex.decode(text) : Base64.decode(text)
    }

    /// What stands before the key in a SubjectPublicKeyInfo (RFC 8410, section 4).
    private static let spkiHead: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
}

/// A file of one PEM block (RFC 7468).
enum PEM {
    /// The bytes of the block, if `text` is one of that label and nothing else.
    static func content(of text: UnsafeRawBufferPointer, label: String) -> [UInt8]? {
        let head = Array("-----BEGIN \(label)-----".utf8)
        let foot = Array("-----END \(label)-----".utf8)
        var lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard lines.count >= 3, lines.removeFirst().elementsEqual(head),
            lines.removeLast().elementsEqual(foot)
        else { return nil }
        var characters = Array(lines.joined())
        defer { wipe(&characters) }
        return Base64.decode(characters)
    }
}
