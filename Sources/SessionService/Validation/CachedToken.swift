import Contracts
import Glibc
import Messages
import ServiceRuntime
import Synchronization

/// An access token that was verified, and the answer that it gets while it is good: both are made
/// once, since a token is validated with every call of its owner. Beside them stand notes of the
/// last validation, by which the next one need not take a lock to find what it would find again.
final class CachedToken: Sendable {
    /// How long after a use was noted another one need not be. What idle sessions are ended by is
    /// at most this much too early; what is confirmed stays so.
    static let notingMilliseconds: Int64 = 1_000

    let token: AccessToken
    /// The version of the keys that it was verified under.
    let keys: UInt64
    /// `answer`, encoded.
    let encoded: Encoded<SessionV1.ValidateResponse>
    private let text: String
    /// `RecentRevocations.insertions` when its session was last found living.
    private let livedAfter = Atomic<UInt64>(.max)
    /// When a use was last noted, milliseconds since 1970.
    private let notedAt = Atomic<Int64>(.min)

    init(_ token: AccessToken, text: String, keys: UInt64) {
        self.token = token
        self.text = text
        self.keys = keys
        encoded = Encoded(Self.answer(token))
    }

    /// What a validation answers while the token is good.
    var answer: SessionV1.ValidateResponse { Self.answer(token) }

    private static func answer(_ token: AccessToken) -> SessionV1.ValidateResponse {
        SessionV1.ValidateResponse(
            valid: true, sessionId: token.session.text, accountId: token.account.text,
            authTimeMs: token.authenticatedAt.milliseconds, amr: token.methods,
            expiresAtMs: token.expiresAt.milliseconds)
    }

    /// Whether its session was found living after so many insertions of ends.
    func isLiving(after insertions: UInt64) -> Bool {
        livedAfter.load(ordering: .relaxed) == insertions
    }

    /// Its session was found living after so many insertions of ends.
    func lives(after insertions: UInt64) { livedAfter.store(insertions, ordering: .relaxed) }

    /// Whether a use at `now` is to be noted.
    func isToBeNoted(at now: Timestamp) -> Bool {
        let passed = now.milliseconds.subtractingReportingOverflow(
            notedAt.load(ordering: .acquiring))
        // An overflow is a first use. A clock that went back notes anew.
        return passed.overflow || !(0..<Self.notingMilliseconds).contains(passed.partialValue)
    }

    /// A use at `now` has been noted.
    func noted(at now: Timestamp) { notedAt.store(now.milliseconds, ordering: .releasing) }

    /// Whether `other` is this very token, byte by byte: to a Swift `String` the Kelvin sign equals
    /// the letter K, and a token that was changed in that way would be taken for this one.
    ///
    /// Not in constant time, and it need not be: how many bytes agree tells nothing to who does not
    /// have the token's last bytes, which are its signature's and find it in the first place.
    func isSpelled(_ other: String) -> Bool {
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
