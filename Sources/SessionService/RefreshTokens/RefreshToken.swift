import Cryptography
import ServiceRuntime

/// A refresh token, which nobody stores: it names a session and the place in its family (G-10).
struct RefreshToken: Hashable, Sendable {
    let session: SessionID
    /// From 1; the session's row holds that of the one token that is good now.
    let counter: Int64
}

/// Writes and reads refresh tokens: base64url of `version (1) · session (8) · counter (8) ·
/// MAC (16)`, numbers big-endian, 44 characters in all.
///
/// The MAC is HMAC-SHA-256, cut to 128 bits (RFC 2104, 5), under a key that serves nothing else,
/// so no other token of ours can stand in for one. Nothing of a stolen store makes one, and a
/// forged one is refused before the store is asked.
struct RefreshTokenSeal: Sendable {
    private static let version: UInt8 = 1
    private static let macBytes = 16
    private static let bodyBytes = 1 + 8 + 8
    private static let textBytes = (bodyBytes + macBytes) * 4 / 3

    private let key: KeyedHash

    init(key: KeyedHash) {
        self.key = key
    }

    /// The token as its owner is given it.
    func text(of token: RefreshToken) -> String {
        let body =
            [Self.version] + Self.bytes(of: token.session.key) + Self.bytes(of: token.counter)
        return Base64URL.encode(body + mac(of: body))
    }

    /// The token that `text` is; nil unless we have written it.
    func token(_ text: String) -> RefreshToken? {
        guard text.utf8.count == Self.textBytes, let bytes = Base64URL.decode(text.utf8),
            bytes.count == Self.bodyBytes + Self.macBytes, bytes[0] == Self.version
        else { return nil }
        let body = Array(bytes[..<Self.bodyBytes])
        guard constantTimeEqual(mac(of: body), bytes[Self.bodyBytes...]),
            let session = SessionID(key: Self.number(bytes[1..<9]))
        else { return nil }
        let counter = Self.number(bytes[9..<17])
        return counter > 0 ? RefreshToken(session: session, counter: counter) : nil
    }

    private func mac(of body: [UInt8]) -> [UInt8] { Array(key.hash(body).prefix(Self.macBytes)) }

    private static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
