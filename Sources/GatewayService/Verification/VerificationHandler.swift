import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.Verification`: what verifiers of access tokens need, so that they never
/// connect to the session service (S-01, S-06): its revocations. Session serves the other methods.
///
/// The gateway subscribes to the session service once, and verifiers subscribe to the gateway:
/// thousands of backends cost the session service one call. The gateway keeps only the recent
/// revocations, in memory. While the session service does not answer, the streams stay open and
/// silent; a verifier then knows that it may miss revocations.
struct VerificationHandler: VerificationService {
    /// The subscription to the session service is renewed after this time.
    private static let followedFor: Duration = .seconds(3_600)
    /// The longest wait before reconnecting to the session service: verifiers should get a
    /// revocation within a second of its recovery.
    private static let waitMax: Duration = .milliseconds(250)

    /// Learns the ends of sessions too.
    private let tokens: TokenAccounts
    private let log = RevocationLog()
    private let follower: RevocationFollower

    /// Creates a relay of the session service's revocations.
    init(
        ends: any SessionEndsAPI, tokens: TokenAccounts, time: any Time,
        randomness: any Randomness
    ) {
        self.tokens = tokens
        follower = RevocationFollower(waitMax: Self.waitMax, time: time, randomness: randomness) {
            position, epoch, take in
            let request = SessionV1.WatchRevocationsRequest(position: position, epoch: epoch)
            let context = CallContext(deadline: time.uptime() + Self.followedFor)
            for try await item in ends.watchRevocations(request, context) {
                take(RevocationUpdate(item))
            }
        }
    }

    /// Follows the session service's revocations until cancelled.
    func run() async {
        await follower.run {
            log.take($0)
            tokens.take($0)
        }
    }

    /// Sends the revocations from the requested position on, and further ones as they come, until
    /// the call ends.
    func watchRevocations(
        _ request: GatewayV1.WatchRevocationsRequest,
        _ items: OutgoingItems<GatewayV1.WatchRevocationsItem>, _ context: CallContext
    ) async throws {
        try await log.serve(request, items)
    }
}
