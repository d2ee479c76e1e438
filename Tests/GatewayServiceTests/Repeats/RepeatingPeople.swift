import GatewayService
import Messages
import TestSupport

/// The two people of `RepeatedCalls`, and what they do before they call again much later.
extension ProviderTown {
    /// Two people, a moment ago.
    func two() async throws -> (SignedIn, SignedIn) {
        let two = (try await house.signUp(), try await house.signUp("eve@example.org"))
        sessions.keep([two.0.session, two.1.session])
        house.time.advance(by: .seconds(1))
        return two
    }

    /// Two people, and a request of each with what its session has.
    func two<Request>(
        _ request: (GatewayV1.Session) -> Request
    ) async throws -> (Request, Request) {
        let (ada, eve) = try await two()
        return (request(ada.session), request(eve.session))
    }

    /// The session of an access token that has expired gives another one.
    func refresh(_ accessToken: inout String) async throws {
        let session = try sessions.session(of: accessToken)
        let next = try await house.refresh(session.refreshToken)
        sessions.keep([next])
        accessToken = next.accessToken
        house.time.advance(by: .seconds(1))
    }

    /// The same, and its owner types the password once more (G-13).
    func prove(_ accessToken: inout String) async throws {
        try await refresh(&accessToken)
        let answer = try await house.accountSessions.reauthenticate(
            .init(
                accessToken: accessToken, device: GatewayHouse.device("d1"),
                proof: .password("Correct7Horse")), house.context())
        accessToken = answer.accessToken
    }
}
