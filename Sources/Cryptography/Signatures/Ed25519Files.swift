package import ServiceRuntime

/// Ed25519 keys in files: PEM, as `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout`
/// write it, or the bare 32 bytes as hexadecimal or Base64 text.
extension Ed25519SigningKey {
    /// Reads the private key in the file `path`, which only its owner may read.
    /// - Throws: `SecretFileError`, `CryptographyError`.
    package init(file path: String) throws {
        if let key = try Ed25519SigningKey(pem: SecretFile.read(path)) {
            self = key
        } else {
            try self.init(seed: SecretFile.readKey(path))
        }
    }

    /// Parses a private key in PEM (PKCS #8).
    /// - Returns: Nil for a text that is not PEM.
    /// - Throws: `CryptographyError.invalidKey` for PEM of anything but one Ed25519 key, which must
    ///   not be parsed as the text of another kind of key.
    package init?(pem: SecretBytes) throws {
        guard pem.withBytes({ $0.starts(with: PEM.start) }) else { return nil }
        let seed = pem.withBytes { bytes -> SecretBytes? in
            guard var der = PEM.content(of: bytes, label: Self.label) else { return nil }
            defer { wipe(&der) }
            guard der.starts(with: Self.pkcs8Head) else { return nil }
            return SecretBytes(copying: der.dropFirst(Self.pkcs8Head.count))
        }
        guard let seed else {
            throw CryptographyError.invalidKey("not a PEM Ed25519 private key (PKCS #8)")
        }
        try self.init(seed: seed)
    }

    /// Generates a private key as PEM (PKCS #8), which `openssl pkey` reads.
    package static func generatePEM(randomness: any Randomness) -> SecretBytes {
        let seed = SecretBytes.generate(count: Ed25519.keyBytes, randomness: randomness)
        var der = pkcs8Head + seed.withBytes { Array($0) }
        defer { wipe(&der) }
        var text = PEM.text(der, label: label)
        return SecretBytes(taking: &text)
    }

    private static let label = "PRIVATE KEY"

    /// The bytes before the seed in PKCS #8 (RFC 8410, section 7).
    private static let pkcs8Head: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04,
        0x20,
    ]
}

extension Ed25519VerifyingKey {
    /// Reads the public key in the file `path`. Anybody may read the file. An attacker who can
    /// write it can sign in, so only its owner may have that right.
    /// - Throws: `SecretFileError`, `CryptographyError`.
    package init(file path: String) throws {
        let content = try SecretFile.readPublic(path)
        let bytes = content.withBytes { Self.key(in: $0) }
        guard let bytes else { throw SecretFileError.notAKey(path: path) }
        try self.init(bytes: bytes)
    }

    /// The key as PEM (SubjectPublicKeyInfo), as `openssl pkey -pubout` writes it.
    package var pem: [UInt8] { PEM.text(Self.spkiHead + bytes, label: Self.label) }

    private static let label = "PUBLIC KEY"

    private static func key(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        if let der = PEM.content(of: bytes, label: label) {
            return der.starts(with: spkiHead) ? Array(der.dropFirst(spkiHead.count)) : nil
        }
        let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        return text.count == 64 ? Hex.decode(text) : Base64.decode(text)
    }

    /// The bytes before the key in a SubjectPublicKeyInfo (RFC 8410, section 4).
    private static let spkiHead: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
}

/// A file of one PEM block (RFC 7468).
enum PEM {
    /// The beginning of any PEM text.
    static let start = Array("-----BEGIN ".utf8)

    /// The text of one block. `der` has at most 48 bytes, one line of Base64. Wiping a secret text
    /// is the caller's task.
    static func text(_ der: [UInt8], label: String) -> [UInt8] {
        precondition(der.count <= 48, "RFC 7468 ends a line after 64 characters")
        return Array(
            "-----BEGIN \(label)-----\n\(Base64.encode(der))\n-----END \(label)-----\n".utf8)
    }

    /// The bytes of the block as a secret, if `text` is one block with one of these labels and
    /// nothing else. They stay in no other place.
    static func secret(of text: SecretBytes, labels: [String]) -> SecretBytes? {
        text.withBytes { bytes in
            for label in labels {
                if var der = content(of: bytes, label: label) { return SecretBytes(taking: &der) }
            }
            return nil
        }
    }

    /// The bytes of the block, if `text` is one block with that label and nothing else.
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
