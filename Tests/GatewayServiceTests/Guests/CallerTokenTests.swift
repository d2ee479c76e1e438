import GatewayService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-07: the gateway passes the app's current session to a sign-in", .timeLimit(.minutes(1)))
struct CallerTokenTests {
    private let identities = ScriptedIdentities()
    private let fixture: GatewayFixture
    private let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture(identities: identities)
        ada = try await fixture.signUp()
        identities.refuse(.providerUnavailable)
    }

    private func signIn(_ accessToken: String) async throws -> ErrorCode {
        try await refusal {
            try await fixture.providers.signInWithProvider(
                .init(accessToken: accessToken), fixture.context())
        }.code
    }

    @Test("G-07: a valid access token is passed on; any other text is not")
    func handedOn() async throws {
        let token = ada.session.accessToken
        for shown in [token, "", "garbage", ada.session.refreshToken, token + "A"] {
            #expect(try await signIn(shown) == .providerUnavailable)
        }
        #expect(identities.askedBy == [token, "", "", "", ""])
    }

    @Test("G-07: an expired token is rejected, because the guest's data would be left behind")
    func expired() async throws {
        fixture.time.advance(by: .seconds(15 * 60))
        #expect(try await signIn(ada.session.accessToken) == .invalidAccessToken)
        #expect(identities.askedBy.isEmpty)
        let child = try await fixture.refresh(ada.session.refreshToken)
        #expect(try await signIn(child.accessToken) == .providerUnavailable)
        #expect(identities.askedBy == [child.accessToken])
    }

    @Test("G-07: the token of an ended session is not passed on")
    func over() async throws {
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        #expect(try await signIn(ada.session.accessToken) == .providerUnavailable)
        #expect(identities.askedBy == [""])
    }
}
