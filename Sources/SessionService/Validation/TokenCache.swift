import Contracts
import Glibc
import Messages
import ServiceRuntime
import Synchronization

/// Caches verified tokens, so that verifying one again is a look-up (S-01).
///
/// Bounded: it holds the most recently inserted tokens, at least half of `countMax` once full, and
/// removes expired ones. Only valid tokens are inserted, so an attacker without a key cannot fill
/// it or choose its contents. The version of the keys, expiry and revocation are checked on each
/// use.
final class TokenCache: Sendable {
    /// About 900 bytes each, and 3,500 with the largest claims: at most 7 MiB, or 28.
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
        guard let known, known.isExactly(text) else { return nil }
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

/// A verified access token with the response for it while it is valid. Both are computed once,
/// since a token is validated with every call of its owner. It also caches results of the last
/// validation, so that the next one can avoid a lock.
final class CachedToken: Sendable {
    /// The interval in which a further use is not recorded. A session's recorded last use is at
    /// most this much too early; a confirmation is permanent.
    static let recordingIntervalMilliseconds: Int64 = 1_000

    let token: AccessToken
    /// The version of the keys that it was verified under.
    let keys: UInt64
    /// `answer`, encoded.
    let encoded: Encoded<SessionV1.ValidateAccessTokenResponse>
    private let text: String
    /// `RecentRevocations.insertions` when its session was last found live.
    private let livedAfter = Atomic<UInt64>(.max)
    /// When a use was last recorded, milliseconds since 1970.
    private let recordedAt = Atomic<Int64>(.min)

    init(_ token: AccessToken, text: String, keys: UInt64) {
        self.token = token
        self.text = text
        self.keys = keys
        encoded = Encoded(Self.answer(token))
    }

    /// The response to a validation while the token is valid.
    var answer: SessionV1.ValidateAccessTokenResponse { Self.answer(token) }

    private static func answer(_ token: AccessToken) -> SessionV1.ValidateAccessTokenResponse {
        SessionV1.ValidateAccessTokenResponse(
            valid: true, sessionId: token.session.text, accountId: token.account.text,
            authTimeMs: token.authenticatedAt.milliseconds, amr: token.methods,
            expiresAtMs: token.expiresAt.milliseconds, acr: token.assurance?.rawValue ?? "")
    }

    /// Whether its session was found live at this count of inserted revocations.
    func isLiving(after insertions: UInt64) -> Bool {
        livedAfter.load(ordering: .relaxed) == insertions
    }

    /// Records that its session was found live at this count of inserted revocations.
    func lives(after insertions: UInt64) { livedAfter.store(insertions, ordering: .relaxed) }

    /// Whether a use at `now` has to be recorded.
    func needsRecording(at now: Timestamp) -> Bool {
        let passed = now.milliseconds.subtractingReportingOverflow(
            recordedAt.load(ordering: .acquiring))
        // An overflow is a first use. After a clock was set back, the use is recorded again.
        return passed.overflow
            || !(0..<Self.recordingIntervalMilliseconds).contains(passed.partialValue)
    }

    /// Records that a use at `now` was recorded.
    func recorded(at now: Timestamp) { recordedAt.store(now.milliseconds, ordering: .releasing) }

    /// Whether `other` is exactly this token, compared by bytes. To a Swift `String` the Kelvin
    /// sign equals the letter K, so a token altered in that way would be accepted as this one.
    ///
    /// Constant time is not needed. The number of equal bytes reveals nothing to a caller who does
    /// not know the token's last bytes: they are part of the signature, and the cache looks the
    /// token up by them.
    func isExactly(_ other: String) -> Bool {
        text.utf8.span.withUnsafeBytes { own in
            other.utf8.span.withUnsafeBytes { other in
                guard own.count == other.count, let start = own.baseAddress,
                    let otherStart = other.baseAddress
                else { return false }
                return memcmp(start, otherStart, own.count) == 0
            }
        }
    }
}
