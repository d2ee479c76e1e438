import Glibc
package import Synchronization

/// What tokens say that were verified before, so that verifying one again is a look-up (S-01).
///
/// Bounded: the tokens seen last, at least half of `countMax`. Only good tokens come in, so nobody
/// without a key can fill it or choose what is in it. It belongs to one set of keys and goes with
/// it; whether a token has expired or its session ended is asked anew each time.
package final class VerifiedTokenCache<Value: Sendable>: Sendable {
    /// Some 900 bytes each: 7 MiB at most.
    @inlinable package static var countMax: Int { 8_192 }

    @usableFromInline struct State {
        @usableFromInline var young: [TokenText: Value] = [:]
        @usableFromInline var old: [TokenText: Value] = [:]

        @usableFromInline init() {}
    }

    @usableFromInline let state = Mutex(State())

    /// No tokens.
    package init() {}

    /// What a token says; nil when it is not known.
    @inlinable package subscript(token: String) -> Value? {
        let text = TokenText(token)
        return state.withLock { $0.young[text] ?? $0.old[text] }
    }

    /// Keeps what a verified token says.
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

/// A token, compared byte by byte: to a Swift `String` the Kelvin sign equals the letter K, and a
/// token that was changed in that way would be found.
@usableFromInline struct TokenText: Hashable, Sendable {
    /// A token's last characters are its signature's, which nobody can choose: they spread well
    /// alone, and hashing all 500 would cost more than all the rest of a look-up. As many as one
    /// number holds.
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
            // A shorter one is no token, and is compared all the same.
            guard start >= 0 else { return hasher.combine(bytes.count) }
            hasher.combine(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
    }
}
