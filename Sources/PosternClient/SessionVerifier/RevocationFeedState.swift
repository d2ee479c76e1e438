import Contracts
import Cryptography
import ServiceRuntime

/// How complete a verifier's knowledge of revocations is, and since when. Pure:
///
///     an item                            all revocations are known
///     complete                           as of now
///     not complete, of the same epoch    as before: more items follow at once
///     not complete, of another epoch     no, until a complete item arrives
///
/// Another epoch means that a backup was restored. Revocations that were only in the lost store may
/// never be sent, so until the next complete item the state is as if nothing had been received.
/// Known revocations are kept.
struct RevocationFeedState: Hashable, Sendable {
    /// When the revocations were last complete, on the uptime clock; nil if never.
    private(set) var heardAt: Duration?
    /// The longest life of a token, as announced by the service.
    private(set) var lifeMax: Duration?
    private var epoch: UInt64?

    /// Records an item that arrived at `now`.
    mutating func note(_ news: RevocationUpdate, at now: Duration) {
        if let epoch, epoch != news.epoch { heardAt = nil }
        epoch = news.epoch
        if news.completeAt != nil { heardAt = now }
        if news.keptFor > TokenVerifier.leeway { lifeMax = news.keptFor - TokenVerifier.leeway }
    }
}
