import Contracts
import Cryptography
import ServiceRuntime

/// What a verifier has heard of ends, and since when. Pure:
///
///     an item                            all ends are known
///     complete                           now
///     not complete, of the same epoch    as before: more comes at once
///     not complete, of another epoch     not, until a complete one has come
///
/// Another epoch means that a backup was restored: ends that the lost store knew may never be told,
/// so the time up to the next complete item is as if nothing had been heard. Ends that are known
/// stay known.
struct RevocationFeedState: Hashable, Sendable {
    /// When the ends were complete last, on the uptime clock; nil where they never were.
    private(set) var heardAt: Duration?
    /// No token lives longer, as the service tells.
    private(set) var lifeMax: Duration?
    private var epoch: UInt64?

    /// Takes in an item that has come at `now`.
    mutating func note(_ news: RevocationUpdate, at now: Duration) {
        if let epoch, epoch != news.epoch { heardAt = nil }
        epoch = news.epoch
        if news.completeAt != nil { heardAt = now }
        if news.keptFor > TokenVerifier.leeway { lifeMax = news.keptFor - TokenVerifier.leeway }
    }
}
