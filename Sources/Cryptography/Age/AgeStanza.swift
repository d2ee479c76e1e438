import ServiceRuntime

/// A recipient stanza of an age header: the file's key, wrapped for one recipient.
struct AgeStanza: Sendable {
    /// How the file's key is wrapped.
    enum Kind: Sendable {
        /// For a public key, by an agreement with a key that is made for this file.
        case x25519(share: [UInt8])
        /// With a passphrase, by scrypt with N = 2^`workFactor`.
        case scrypt(salt: [UInt8], workFactor: Int)
        /// A type that is not supported. Readers skip it.
        case other
    }

    /// The size of a file's key, in bytes.
    static let fileKeyBytes = 16
    /// What `age` writes: scrypt takes 256 MiB and about a second.
    static let workFactor = 18
    /// The largest that is tried: scrypt takes 1 GiB. A hostile file could name any, and so take
    /// all memory.
    static let workFactorMax = 20

    private static let wrappedBytes = fileKeyBytes + AEAD.tagBytes
    private static let saltBytes = 16
    private static let scryptBlockSize = 8

    /// The place of its first line in the file.
    let offset: Int
    let kind: Kind
    private let wrapped: [UInt8]

    /// A stanza from its parsed text.
    /// - Throws: `AgeFileError` if it has not the form of its type. The length of the wrapped key
    ///   is part of it: a longer one could be opened by two passphrases (a partitioning oracle).
    init(offset: Int, arguments: [String], body: [UInt8]) throws(AgeFileError) {
        let flaw = AgeFileError(
            offset, .malformedHeader("the recipient has not the form of its type"))
        switch arguments.first {
        case "X25519":
            guard arguments.count == 2,
                let share = Base64.decodeUnpadded(arguments[1].utf8),
                share.count == X25519.keyBytes, body.count == Self.wrappedBytes
            else { throw flaw }
            kind = .x25519(share: share)
        case "scrypt":
            guard arguments.count == 3,
                let salt = Base64.decodeUnpadded(arguments[1].utf8),
                salt.count == Self.saltBytes, body.count == Self.wrappedBytes,
                let factor = Self.number(arguments[2])
            else { throw flaw }
            kind = .scrypt(salt: salt, workFactor: factor)
        default: kind = .other
        }
        self.offset = offset
        wrapped = body
    }

    /// A decimal number without leading zeros or a sign.
    private static func number(_ text: String) -> Int? {
        guard let first = text.utf8.first, first != UInt8(ascii: "0"),
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return Int(text)
    }

    /// Whether it is for a passphrase.
    var isScrypt: Bool {
        if case .scrypt = kind { true } else { false }
    }

    /// The file's key; nil if it is not wrapped for `identity`.
    /// - Throws: `AgeFileError`; `CryptographyError` when OpenSSL fails.
    func fileKey(for identity: AgeIdentity) throws -> SecretBytes? {
        switch (kind, identity) {
        case (.x25519(let share), .x25519(let keys)):
            guard let secret = try X25519.sharedSecret(keys.secretKey, with: share) else {
                throw AgeFileError(offset, .malformedHeader("a share of low order"))
            }
            return try unwrap(
                with: Self.wrapKey(secret, share: share, publicKey: keys.publicKey))
        case (.scrypt(let salt, let workFactor), .passphrase(let passphrase)):
            guard workFactor <= Self.workFactorMax else {
                throw AgeFileError(offset, .workFactor(workFactor))
            }
            return try unwrap(
                with: Self.wrapKey(passphrase, salt: salt, workFactor: workFactor))
        default: return nil
        }
    }

    private func unwrap(with key: SecretBytes) throws -> SecretBytes? {
        do {
            return try AEAD.chaCha20Poly1305.open(
                wrapped, key: key, nonce: Self.zeroNonce, associatedData: [])
        } catch SealedBoxError.notAuthentic {
            return nil
        }
    }

    /// The text of a stanza that wraps `fileKey` for `publicKey`.
    static func text(
        wrapping fileKey: SecretBytes, for publicKey: AgePublicKey, randomness: any Randomness
    ) throws -> String {
        let ephemeral = SecretBytes.generate(count: X25519.keyBytes, randomness: randomness)
        let share = try X25519.publicKey(of: ephemeral)
        guard let secret = try X25519.sharedSecret(ephemeral, with: publicKey.bytes) else {
            throw AgeKeyError("a public key of low order")
        }
        return try text(
            ["X25519", Base64.encodeUnpadded(share)], wrapping: fileKey,
            with: wrapKey(secret, share: share, publicKey: publicKey))
    }

    /// The text of a stanza that wraps `fileKey` with a passphrase. Takes about a second.
    static func text(
        wrapping fileKey: SecretBytes, with passphrase: SecretBytes, workFactor: Int,
        randomness: any Randomness
    ) throws -> String {
        precondition(1...workFactorMax ~= workFactor)
        let salt = randomness.bytes(saltBytes)
        return try text(
            ["scrypt", Base64.encodeUnpadded(salt), "\(workFactor)"], wrapping: fileKey,
            with: wrapKey(passphrase, salt: salt, workFactor: workFactor))
    }

    private static func text(
        _ arguments: [String], wrapping fileKey: SecretBytes, with key: SecretBytes
    ) throws -> String {
        let wrapped = try fileKey.withBytes {
            try AEAD.chaCha20Poly1305.seal($0, key: key, nonce: zeroNonce, associatedData: [])
        }
        // One line, since its 43 characters are less than 64.
        return "-> \(arguments.joined(separator: " "))\n\(Base64.encodeUnpadded(wrapped))\n"
    }

    /// Each wrap key is used once, so that its nonce can be constant.
    private static let zeroNonce = [UInt8](repeating: 0, count: AEAD.nonceBytes)

    private static func wrapKey(
        _ secret: SecretBytes, share: [UInt8], publicKey: AgePublicKey
    ) -> SecretBytes {
        KeyDerivation.derive(
            from: secret, salt: share + publicKey.bytes,
            info: Array("age-encryption.org/v1/X25519".utf8), count: AEAD.keyBytes)
    }

    private static func wrapKey(
        _ passphrase: SecretBytes, salt: [UInt8], workFactor: Int
    ) throws -> SecretBytes {
        try ScryptHash.derive(
            passphrase, salt: Array("age-encryption.org/v1/scrypt".utf8) + salt,
            costLog: workFactor, blockSize: scryptBlockSize, lanes: 1,
            memoryBytesMax: 128 * scryptBlockSize << workFactorMax, count: AEAD.keyBytes)
    }
}
