import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import SessionService

@Suite("G-29: a token of a deleted account", .timeLimit(.minutes(1)))
struct ForgottenSessionTests {
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        _ = try await fixture.inner.sessionService.accountData.forgetAccountData(
            .init(subject: .init(accountId: ada.account.accountId)),
            CallContext(application: "identity", deadline: fixture.time.uptime() + .seconds(10)))
    }

    @Test("CheckAuthState says that the account was deleted")
    func state() async throws {
        let state = try await fixture.check(ada.session.accessToken)
        #expect(!state.authenticated && state.reason == .accountDeleted)
        #expect(state.endReason == .accountDeleted)
    }

    @Test("a refresh, and a call that requires a session, say that it no longer exists")
    func refused() async throws {
        let refresh = try await refusal { try await fixture.refresh(ada.session.refreshToken) }
        let call = try await refusal {
            try await fixture.accountSessions.listSessions(
                .init(), fixture.context().bearing(ada.session.accessToken))
        }
        for error in [refresh, call] {
            #expect(error.code == .sessionEnded)
            #expect(error.userMessage == "This account no longer exists.")
            #expect(
                error.worded(in: Voice(.german)).userMessage == "Dieses Konto gibt es nicht mehr.")
        }
    }

    @Test("a sign-out succeeds: nothing is left to end")
    func signOut() async throws {
        #expect(try await fixture.signOut(.accessToken(ada.session.accessToken)) == 0)
        #expect(try await fixture.signOut(.refreshToken(ada.session.refreshToken)) == 0)
    }
}
