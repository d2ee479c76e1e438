import Contracts
import ServiceRuntime
import Synchronization

/// Caches verified tokens, so that verifying one again is a look-up (S-01).
///
/// Bounded: it holds the most recently inserted tokens, at least half of `countMax` once full, and
/// removes expired ones. Only valid tokens are inserted, so an attacker without a key cannot fill
/// it or choose its contents. The version of the keys, expiry and revocation are checked on each
/// use.
final class TokenCache: Sendable {
    /// About 900 bytes each: at most 7 MiB.
    static let countMax = 8_192

    private struct State {
        var young: [UInt64: CachedToken] = [:]
        var old: [UInt64: CachedToken] = [:]
    }

    private let state = Mutex(State())

    /// The token with exactly this text; nil when it is not cached.
    subscript(text: String) -> CachedToken? {
        guard let key = Self.key(of: text) else { return nil }
        let known = state.withLock { $0.young[key] ?? $0.old[key] }
        guard let known, known.isSpelled(text) else { return nil }
        return known
    }

    /// Caches a verified token with the given text.
    func insert(_ known: CachedToken, for text: String) {
        guard let key = Self.key(of: text) else { return }
        state.withLock { state in
            if state.young.count >= Self.countMax / 2 {
                state.old = state.young
                state.young = [:]
            }
            state.young[key] = known
        }
    }

    /// Removes tokens that have expired by `now`. Tokens of ended sessions would otherwise stay
    /// until thousands of others were inserted.
    func forget(expiredAt now: Timestamp) {
        state.withLock { state in
            state.young = state.young.filter { now < $0.value.token.expiresAt }
            state.old = state.old.filter { now < $0.value.token.expiresAt }
        }
    }

    /// The number of cached tokens.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// A token's last eight bytes. They are part of the signature, which cannot be chosen: two
    /// valid tokens that share them would only replace each other. Hashing all 500 bytes would cost
    /// more than the rest of a look-up.
    private static func key(of text: String) -> UInt64? {
        text.utf8.span.withUnsafeBytes { bytes in
            let start = bytes.count - MemoryLayout<UInt64>.size
            return start < 0 ? nil : bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        }
    }
}
