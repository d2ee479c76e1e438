import Cryptography
import ServiceRuntime

/// How complete a follower's knowledge of revocations is, and since when. Pure:
///
///     an item                            all revocations are known
///     complete                           as of now
///     not complete, of the same epoch    as before: more items follow at once
///     not complete, of another epoch     no, until a complete item arrives
///
/// Another epoch means that a backup was restored. Revocations that were only in the lost store may
/// never be sent, so until the next complete item the state is as if nothing had been received.
/// Known revocations are retained.
package struct RevocationFeedState: Hashable, Sendable {
    /// When the revocations were last complete, on the uptime clock; nil if never.
    package private(set) var completeAt: Duration?
    /// The longest life of a token, as announced by the service.
    package private(set) var lifeMax: Duration?
    private var epoch: UInt64?

    /// Before the first item.
    package init() {}

    /// Records an item that arrived at `now`.
    package mutating func record(_ update: RevocationUpdate, at now: Duration) {
        if let epoch, epoch != update.epoch { completeAt = nil }
        epoch = update.epoch
        if update.completeAt != nil { completeAt = now }
        if update.retention > TokenVerifier.leeway {
            lifeMax = update.retention - TokenVerifier.leeway
        }
    }
}
