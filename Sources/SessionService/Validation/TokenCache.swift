import Contracts
import ServiceRuntime
import Synchronization

/// The tokens that were verified before, so that verifying one again is a look-up (S-01).
///
/// Bounded: the tokens seen last, at least half of `countMax`, and none for long after it has
/// expired. Only good tokens come in, so nobody without a key can fill it or choose what is in it.
/// Whether the keys it was verified under still hold, it has expired or its session has ended is
/// asked each time.
final class TokenCache: Sendable {
    /// Some 900 bytes each: 7 MiB at most.
    static let countMax = 8_192

    private struct State {
        var young: [UInt64: CachedToken] = [:]
        var old: [UInt64: CachedToken] = [:]
    }

    private let state = Mutex(State())

    /// The token of exactly this text; nil when it is not known.
    subscript(text: String) -> CachedToken? {
        guard let key = Self.key(of: text) else { return nil }
        let known = state.withLock { $0.young[key] ?? $0.old[key] }
        guard let known, known.isSpelled(text) else { return nil }
        return known
    }

    /// Keeps a verified token, whose text is `text`.
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

    /// Forgets tokens that have expired by `now`: those of sessions that ended would else stay until
    /// thousands of others have come.
    func forget(expiredAt now: Timestamp) {
        state.withLock { state in
            state.young = state.young.filter { now < $0.value.token.expiresAt }
            state.old = state.old.filter { now < $0.value.token.expiresAt }
        }
    }

    /// How many are known.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// A token's last eight bytes. They are its signature's, which nobody can choose: two good
    /// tokens that share them would only take each other's place. Hashing all 500 bytes would cost
    /// more than all the rest of a look-up.
    private static func key(of text: String) -> UInt64? {
        text.utf8.span.withUnsafeBytes { bytes in
            let start = bytes.count - MemoryLayout<UInt64>.size
            return start < 0 ? nil : bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        }
    }
}
