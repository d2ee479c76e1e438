import Contracts
import Messages
import RPC
import TestSupport

@testable import GatewayService

/// The two users of `RepeatedCalls`, and what they do before a late repeat.
extension ProviderFixture {
    /// Two users who signed up a moment ago.
    func two() async throws -> (SignedIn, SignedIn) {
        let two = (try await gateway.signUp(), try await gateway.signUp("eve@example.org"))
        sessions.record([two.0.session, two.1.session])
        gateway.time.advance(by: .seconds(1))
        return two
    }

    /// Two users and a request of each, made from its session.
    func two<Request>(
        _ request: (GatewayV1.Session) -> Request
    ) async throws -> (Request, Request) {
        let (ada, eve) = try await two()
        return (request(ada.session), request(eve.session))
    }

    /// Refreshes the session of an access token that has expired.
    func refresh(_ accessToken: inout String) async throws {
        let session = try sessions.session(of: accessToken)
        let next = try await gateway.refresh(session.refreshToken)
        sessions.record([next])
        accessToken = next.accessToken
        gateway.time.advance(by: .seconds(1))
    }

    /// Refreshes, and then re-authenticates with the password (G-13).
    func prove(_ accessToken: inout String) async throws {
        try await refresh(&accessToken)
        let answer = try await gateway.accountSessions.reauthenticate(
            .init(
                device: GatewayFixture.device("d1"),
                proof: .password("Correct7Horse")), gateway.context().bearing(accessToken))
        accessToken = answer.accessToken
    }
}
