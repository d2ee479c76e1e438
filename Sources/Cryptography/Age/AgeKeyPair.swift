package import ServiceRuntime

/// An invalid age key, or keys that cannot be used together. The description gives the reason and
/// contains no secret.
package struct AgeKeyError: Error, Hashable, CustomStringConvertible {
    /// The reason.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A public X25519 key to which age files are encrypted: `age1…`.
package struct AgePublicKey: Hashable, Sendable, CustomStringConvertible {
    private static let prefix = "age"

    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        precondition(bytes.count == X25519.keyBytes)
        self.bytes = bytes
    }

    /// The key with this text.
    /// - Throws: `AgeKeyError` with the reason; `CryptographyError` when OpenSSL fails.
    package init(_ text: String) throws {
        guard !text.uppercased().hasPrefix(AgeKeyPair.prefix) else {
            throw AgeKeyError("this is a secret key: files are encrypted to its public key, age1…")
        }
        guard !text.hasPrefix("ssh-") else {
            throw AgeKeyError("SSH keys are not supported: use a key that begins with age1")
        }
        guard text.hasPrefix("age1") else {
            throw AgeKeyError("not an age recipient, which begins with age1")
        }
        let (prefix, bytes) = try AgeKeyError.decoded(Array(text.utf8), "an age recipient")
        guard prefix == Self.prefix else {
            throw AgeKeyError("recipients of the type \(prefix) are not supported, only X25519")
        }
        guard bytes.count == X25519.keyBytes else {
            throw AgeKeyError("an X25519 key has 32 bytes, this has \(bytes.count)")
        }
        // Every secret key gives zeros with a key of low order, and no other gives zeros with any.
        let anySecret = SecretBytes(copying: [UInt8](repeating: 1, count: X25519.keyBytes))
        guard try X25519.sharedSecret(anySecret, with: bytes) != nil else {
            throw AgeKeyError("a point of low order: everybody could read what is encrypted to it")
        }
        self.bytes = bytes
    }

    /// The key's text, `age1…`.
    package var description: String {
        String(decoding: Bech32.encode(prefix: Self.prefix, bytes), as: UTF8.self)
    }
}

/// A secret X25519 key, `AGE-SECRET-KEY-1…`, with its public key.
package struct AgeKeyPair: Sendable {
    fileprivate static let prefix = "AGE-SECRET-KEY-"

    /// The key to which files are encrypted.
    package let publicKey: AgePublicKey
    let secretKey: SecretBytes

    private init(secretKey: SecretBytes) throws {
        self.secretKey = secretKey
        publicKey = AgePublicKey(bytes: try X25519.publicKey(of: secretKey))
    }

    /// The key pair whose secret key has this text.
    /// - Throws: `AgeKeyError` with the reason; `CryptographyError` when OpenSSL fails.
    init(text: some Collection<UInt8>) throws {
        guard !text.starts(with: "AGE-SECRET-KEY-PQ-1".utf8) else {
            throw AgeKeyError("post-quantum keys are not supported, only X25519")
        }
        guard !text.starts(with: "AGE-PLUGIN-".utf8) else {
            throw AgeKeyError("keys of plugins are not supported, only X25519")
        }
        guard text.starts(with: "\(Self.prefix)1".utf8) else {
            throw AgeKeyError("not a secret key, which begins with AGE-SECRET-KEY-1")
        }
        var (prefix, bytes) = try AgeKeyError.decoded(text, "a secret key")
        let secretKey = SecretBytes(taking: &bytes)
        guard prefix == Self.prefix, secretKey.count == X25519.keyBytes else {
            throw AgeKeyError("an X25519 key has 32 bytes, this has \(secretKey.count)")
        }
        try self.init(secretKey: secretKey)
    }

    /// A new key pair. `randomness` should be the generator for keys, `KeyRandomness`.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package static func generate(randomness: any Randomness) throws -> AgeKeyPair {
        try AgeKeyPair(
            secretKey: .generate(count: X25519.keyBytes, randomness: randomness))
    }

    /// The text of an identity file, as `age-keygen` writes it.
    /// - Parameter created: The time for its first line, as RFC 3339 has it.
    package func identityFile(created: String) -> SecretBytes {
        var secret = secretKey.withBytes { Bech32.encode(prefix: Self.prefix, $0) }
        defer { wipe(&secret) }
        var text = Array("# created: \(created)\n# public key: \(publicKey)\n".utf8)
        text.reserveCapacity(text.count + secret.count + 1)  // so that no copy is left behind
        text += secret
        text.append(UInt8(ascii: "\n"))
        return SecretBytes(taking: &text)
    }
}

extension AgeKeyError {
    /// The parts of a Bech32 text. `kind` says what it should be.
    fileprivate static func decoded(
        _ text: some Collection<UInt8>, _ kind: String
    ) throws(AgeKeyError) -> (prefix: String, bytes: [UInt8]) {
        do {
            return try Bech32.decode(text)
        } catch {
            throw AgeKeyError("not \(kind): \(error.rawValue)")
        }
    }
}
