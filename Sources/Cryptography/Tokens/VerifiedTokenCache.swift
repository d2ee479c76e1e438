import Glibc
package import Synchronization

/// A cache of the content of verified tokens, so that verifying a token again is a look-up (S-01).
///
/// Bounded: it keeps the most recently added tokens, at least half of `countMax`. Only valid tokens
/// are inserted, so an attacker without a key can neither fill it nor choose its content. It
/// belongs to one set of keys and is dropped with it. Expiry and revocation are checked again on
/// each use.
package final class VerifiedTokenCache<Value: Sendable>: Sendable {
    /// Each entry takes about 900 bytes, and 3,500 with the largest claims: at most 7 MiB, or 28.
    @inlinable package static var countMax: Int { 8_192 }

    @usableFromInline struct State {
        @usableFromInline var young: [TokenText: Value] = [:]
        @usableFromInline var old: [TokenText: Value] = [:]

        @usableFromInline init() {}
    }

    @usableFromInline let state = Mutex(State())

    /// An empty cache.
    package init() {}

    /// The content of a token. Nil when it is not cached.
    @inlinable package subscript(token: String) -> Value? {
        let text = TokenText(token)
        return state.withLock { $0.young[text] ?? $0.old[text] }
    }

    /// Caches the content of a verified token.
    @inlinable package func insert(_ value: Value, for token: String) {
        state.withLock { state in
            if state.young.count >= Self.countMax / 2 {
                state.old = state.young
                state.young = [:]
            }
            state.young[TokenText(token)] = value
        }
    }
}

/// A token, compared byte by byte. Swift's `String` comparison treats the Kelvin sign and the
/// letter K as equal, so that it would find a modified token.
@usableFromInline struct TokenText: Hashable, Sendable {
    /// The number of last bytes that are hashed, as many as one 64-bit number holds. The last
    /// characters belong to the signature, which an attacker cannot choose, so they spread well.
    /// Hashing all 500 bytes would cost more than the rest of the look-up.
    @usableFromInline static var hashedBytes: Int { 8 }

    @usableFromInline let text: String

    @usableFromInline init(_ text: String) {
        self.text = text
    }

    @usableFromInline static func == (left: TokenText, right: TokenText) -> Bool {
        left.text.utf8.span.withUnsafeBytes { left in
            right.text.utf8.span.withUnsafeBytes { right in
                guard left.count == right.count, let first = left.baseAddress,
                    let second = right.baseAddress
                else { return left.isEmpty && right.isEmpty }
                return memcmp(first, second, left.count) == 0
            }
        }
    }

    @usableFromInline func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBytes { bytes in
            let start = bytes.count - Self.hashedBytes
            // A shorter text is no token, but is compared all the same.
            guard start >= 0 else { return hasher.combine(bytes.count) }
            hasher.combine(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
    }
}
