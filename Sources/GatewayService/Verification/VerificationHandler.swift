package import Contracts
package import Messages
package import RPC
package import ServiceRuntime

/// What backends verify access tokens with (S-01, S-06), so that they never reach the session
/// service: its key set, and its ends.
///
/// The gateway follows the session service once, whoever follows the gateway: thousands of
/// backends are one call there. It keeps the ends that still matter in memory and nothing else.
/// While the session service is away its followers hear nothing, and know by that that they may
/// miss ends.
package struct VerificationHandler: VerificationService {
    /// A call that follows ends is begun anew after this.
    private static let followedFor: Duration = .seconds(3_600)
    /// The longest wait before a lost session service is asked again: its followers should hear of
    /// an end within a second of its return.
    private static let waitMax: Duration = .milliseconds(250)

    private let sessions: any SessionsAPI
    private let log = RevocationLog()
    private let follower: RevocationFollower

    /// A relay of what the session service tells.
    package init(
        sessions: any SessionsAPI, ends: any SessionEndsAPI, time: any Time,
        randomness: any Randomness
    ) {
        self.sessions = sessions
        follower = RevocationFollower(waitMax: Self.waitMax, time: time, randomness: randomness) {
            request in
            let deadline = time.uptime() + Self.followedFor
            return ends.watchEnds(request, CallContext(deadline: deadline))
        }
    }

    /// Follows the session service until cancelled.
    package func run() async {
        await follower.run { log.take(RevocationUpdate($0)) }
    }

    package func keySet(
        _ request: SessionV1.KeySetRequest, _ context: CallContext
    ) async throws -> SessionV1.KeySetResponse {
        try await sessions.keySet(request, context.onward())
    }

    package func watchEnds(
        _ request: SessionV1.WatchEndsRequest, _ items: OutgoingItems<SessionV1.WatchEndsItem>,
        _ context: CallContext
    ) async throws {
        try await log.serve(request, items)
    }
}
