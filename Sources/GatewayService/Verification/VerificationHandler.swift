import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.Verification`: what verifiers of access tokens need, so that they never
/// connect to the session service (S-01, S-06): its JWKS and its revocations.
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

    let sessions: any SessionsAPI
    /// Learns the ends of sessions too.
    private let tokens: TokenAccounts
    private let log = RevocationLog()
    private let follower: RevocationFollower

    /// Creates a relay of the session service's revocations.
    init(
        sessions: any SessionsAPI, ends: any SessionEndsAPI, tokens: TokenAccounts,
        time: any Time, randomness: any Randomness
    ) {
        self.sessions = sessions
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

    /// The public keys that access tokens verify under, as the session service has them.
    /// - Throws: the errors of the session service, for example `rpc/unavailable`.
    func getKeySet(
        _ request: GatewayV1.GetKeySetRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetKeySetResponse {
        let answer = try await sessions.getKeySet(SessionV1.GetKeySetRequest(), context.onward())
        return GatewayV1.GetKeySetResponse(jwks: answer.jwks, issuer: answer.issuer)
    }

    /// Sends the revocations from the requested position on, and further ones as they come, until
    /// the call ends.
    /// - Throws: `ServiceError` when the call ends.
    func watchRevocations(
        _ request: GatewayV1.WatchRevocationsRequest,
        _ items: OutgoingItems<GatewayV1.WatchRevocationsItem>, _ context: CallContext
    ) async throws {
        try await log.serve(request, items)
    }
}
