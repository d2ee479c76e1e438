import Cryptography
import ServiceRuntime

/// A refresh token. It is not stored; it names a session and the position in its family (G-10).
struct RefreshToken: Hashable, Sendable {
    let session: SessionID
    /// From 1; the session's row holds the leaf's.
    let counter: Int64
}

/// Encodes and verifies refresh tokens: base64url of `version (1) · key id (1) · session (8) ·
/// counter (7) · MAC (16)`, numbers big-endian, 44 characters in all.
///
/// The MAC is HMAC-SHA-256, truncated to 128 bits (RFC 2104, 5), under keys that have no other use,
/// so no other token of ours can be taken for one. The keys rotate (`RefreshTokenKeys`) and are
/// sealed in the store: a stolen store does not allow forging tokens, and a forged one is rejected
/// before its session is read.
struct RefreshTokenSeal: Sendable {
    private static let version: UInt8 = 2
    private static let macBytes = 16
    /// 2⁵⁶ rotations are more than any session lives for.
    private static let counterBytes = 7
    private static let bodyBytes = 1 + 1 + 8 + counterBytes
    private static let textBytes = (bodyBytes + macBytes) * 4 / 3

    private let keys: [UInt8: KeyedHash]
    private let current: (id: UInt8, key: KeyedHash)

    /// - Parameters:
    ///   - current: the id of the key that issues new tokens.
    ///   - keys: all keys under which a token may still be valid.
    init?(current: UInt8, keys: [UInt8: KeyedHash]) {
        guard let key = keys[current] else { return nil }
        self.current = (current, key)
        self.keys = keys
    }

    /// The token as its owner receives it.
    func text(of token: RefreshToken) -> String {
        let body =
            [Self.version, current.id] + Self.bytes(of: token.session.key, count: 8)
            + Self.bytes(of: token.counter, count: Self.counterBytes)
        return Base64URL.encode(body + Self.mac(of: body, under: current.key))
    }

    /// Whether `text` has the form of a token and names a key that is not among `keys`.
    func lacksKey(of text: String) -> Bool {
        guard let bytes = Self.bytes(of: text) else { return false }
        return keys[bytes[1]] == nil
    }

    /// Parses and verifies `text`; nil unless we issued it, under a key that is still accepted.
    func token(_ text: String) -> RefreshToken? {
        guard let bytes = Self.bytes(of: text), let key = keys[bytes[1]] else { return nil }
        let body = Array(bytes[..<Self.bodyBytes])
        guard constantTimeEqual(Self.mac(of: body, under: key), bytes[Self.bodyBytes...]),
            let session = SessionID(key: Self.number(bytes[2..<10]))
        else { return nil }
        let counter = Self.number(bytes[10..<Self.bodyBytes])
        return counter > 0 ? RefreshToken(session: session, counter: counter) : nil
    }

    /// The bytes of a text in the form of a token; nil for any other.
    private static func bytes(of text: String) -> [UInt8]? {
        guard text.utf8.count == textBytes, let bytes = Base64URL.decode(text.utf8),
            bytes.count == bodyBytes + macBytes, bytes[0] == version
        else { return nil }
        return bytes
    }

    private static func mac(of body: [UInt8], under key: KeyedHash) -> [UInt8] {
        Array(key.hash(body).prefix(macBytes))
    }

    private static func bytes(of number: Int64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ((count - 1 - $0) * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
