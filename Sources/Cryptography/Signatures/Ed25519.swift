import COpenSSL
package import ServiceRuntime

/// A private Ed25519 key, which signs. It is stored as its seed of 32 bytes.
package struct Ed25519SigningKey: Sendable {
    /// The public half.
    package let verifyingKey: Ed25519VerifyingKey
    private let key: Ed25519Key

    /// The key of a seed.
    /// - Throws: `CryptographyError.invalidKey` unless the seed has 32 bytes.
    package init(seed: SecretBytes) throws {
        guard seed.count == Ed25519Key.keyBytes else {
            throw CryptographyError.invalidKey("an Ed25519 seed has \(Ed25519Key.keyBytes) bytes")
        }
        key = try Ed25519Key(seed: seed)
        verifyingKey = try Ed25519VerifyingKey(bytes: key.publicKey())
    }

    /// A signature of 64 bytes, the same each time for one message (RFC 8032, 5.1.6).
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func sign(_ message: some Collection<UInt8>) throws -> [UInt8] {
        try withContiguousBytes(of: message) { try key.sign($0) }
    }
}

/// A public Ed25519 key, which verifies signatures.
package struct Ed25519VerifyingKey: Sendable {
    /// The key, 32 bytes.
    package let bytes: [UInt8]
    private let key: Ed25519Key

    /// The key with these 32 bytes.
    /// - Throws: `CryptographyError.invalidKey` for another length, and for the few points of small
    ///   order, for which anybody can forge signatures (a file of zeros is one).
    package init(bytes: [UInt8]) throws {
        guard bytes.count == Ed25519Key.keyBytes else {
            throw CryptographyError.invalidKey("an Ed25519 key has \(Ed25519Key.keyBytes) bytes")
        }
        guard !Self.isOfSmallOrder(bytes) else {
            throw CryptographyError.invalidKey("the Ed25519 key is a point of small order")
        }
        self.bytes = bytes
        key = try Ed25519Key(publicKey: bytes)
    }

    /// Whether `signature` (64 bytes) is a valid signature of `message` by this key.
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { key.verify(signature, of: $0) }
    }

    /// The key's RFC 7638 thumbprint: the hash of its required members (RFC 8037, 2), sorted,
    /// without spaces.
    package var thumbprint: String {
        let members = #"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(bytes))"}"#
        return Base64URL.encode(SHA256.hash(members.utf8))
    }
}

/// The encodings of the eight points of edwards25519 whose order divides 8, and the non-canonical
/// encodings that decode to one of them (RFC 7748, section 7, on contributory behaviour; libsodium
/// has the same list).
extension Ed25519VerifyingKey {
    /// The y coordinates with the sign bit of x cleared.
    private static let smallOrderPoints: Set<[UInt8]> = [
        [0] + zeros,  // y = 0, order 4
        [1] + zeros,  // y = 1, the neutral element
        [0xEC] + top,  // y = −1, order 2
        [0xED] + top,  // y = p, read as 0
        [0xEE] + top,  // y = p + 1, read as 1
        eighth, otherEighth,
    ]
    private static let zeros = [UInt8](repeating: 0, count: 31)
    private static let top = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    /// The y coordinate of two points of order 8.
    private static let eighth: [UInt8] = [
        0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98,
        0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53,
        0xFC, 0x05,
    ]
    /// The y coordinate of the two others: p minus the first.
    private static let otherEighth: [UInt8] = [
        0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67,
        0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC,
        0x03, 0x7A,
    ]

    private static func isOfSmallOrder(_ key: [UInt8]) -> Bool {
        guard let last = key.last else { return false }
        return smallOrderPoints.contains(key.dropLast() + [last & 0x7F])
    }
}

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
        let seed = SecretBytes.generate(count: Ed25519Key.keyBytes, randomness: randomness)
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

/// An Ed25519 key (RFC 8032, PureEdDSA) in OpenSSL's memory: public, or private with its public
/// part. Its signatures need no randomness.
// Unchecked: a complete EVP_PKEY is immutable and its reference count is atomic, so that any number
// of threads may sign and verify with it (EVP_PKEY_new(3), crypto(7)).
final class Ed25519Key: @unchecked Sendable {
    /// The size of a seed and of a public key, in bytes.
    static let keyBytes = 32
    /// The size of a signature, in bytes.
    static let signatureBytes = 64

    private let pointer: OpaquePointer

    init(publicKey: [UInt8]) throws {
        pointer = try Self.taken(
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count))
    }

    init(seed: SecretBytes) throws {
        pointer = try seed.withBytes { bytes in
            try Self.taken(
                EVP_PKEY_new_raw_private_key(
                    EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress,
                    bytes.count))
        }
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The public key, 32 bytes.
    func publicKey() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Ed25519Key.keyBytes)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == bytes.count else {
            throw CryptographyError.library("Ed25519: public key")
        }
        return bytes
    }

    func sign(_ message: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw CryptographyError.library("Ed25519") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Self.signatureBytes)
        var count = signature.count
        let bytes = message.bindMemory(to: UInt8.self)
        guard EVP_DigestSignInit(context, nil, nil, nil, pointer) == 1,
            EVP_DigestSign(context, &signature, &count, bytes.baseAddress, bytes.count) == 1,
            count == Self.signatureBytes
        else { throw CryptographyError.library("Ed25519: sign") }
        return signature
    }

    /// Whether `signature` is a valid signature of `message` by this key.
    func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer) -> Bool {
        guard signature.count == Self.signatureBytes, let context = EVP_MD_CTX_new() else {
            return false
        }
        defer {
            EVP_MD_CTX_free(context)
            // A rejected signature leaves errors in this thread's error queue.
            ERR_clear_error()
        }
        let bytes = message.bindMemory(to: UInt8.self)
        return EVP_DigestVerifyInit(context, nil, nil, nil, pointer) == 1
            && EVP_DigestVerify(
                context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
    }

    private static func taken(_ pointer: OpaquePointer?) throws -> OpaquePointer {
        guard let pointer else { throw CryptographyError.library("Ed25519: key") }
        return pointer
    }
}
