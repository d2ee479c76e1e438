import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-01: InspectSession reports the state of a token's session")
struct InspectSessionTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("G-01: a session is live with a current and with an expired access token")
    func live() async throws {
        let account = try fixture.account()
        let tokens = try await fixture.open(account)
        let current = try await fixture.inspect(tokens.accessToken)
        #expect(current.known && current.live && current.accessTokenCurrent)
        #expect(current.endReason == .unspecified)
        #expect(current.accountId == account.text && current.sessionId == tokens.sessionId)
        fixture.time.advance(by: .seconds(3_600))
        let expired = try await fixture.inspect(tokens.accessToken)
        #expect(expired.known && expired.live && !expired.accessTokenCurrent)
    }

    @Test("G-32: a session is named by its id too, and an ended or unknown one is not live")
    func byID() async throws {
        func inspect(
            _ id: String, token: String = ""
        ) async throws -> SessionV1.InspectSessionResponse {
            try await fixture.service.sessions.inspectSession(
                SessionV1.InspectSessionRequest(accessToken: token, sessionId: id),
                fixture.context())
        }
        let account = try fixture.account()
        let tokens = try await fixture.open(account)
        let live = try await inspect(tokens.sessionId)
        #expect(live.known && live.live && !live.accessTokenCurrent)
        #expect(live.accountId == account.text && live.sessionId == tokens.sessionId)
        let beside = try await inspect(tokens.sessionId, token: "x")
        #expect(beside == .init(), "the token counts where there is one")
        for id in ["", "ses_x", account.text] { #expect(try await inspect(id) == .init()) }
        _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        let ended = try await inspect(tokens.sessionId)
        #expect(ended.known && !ended.live && ended.endReason == .signedOut)
    }

    @Test("G-01: a token that is not ours reveals nothing")
    func unknown() async throws {
        let tokens = try await fixture.open()
        for token in ["", tokens.refreshToken, tokens.accessToken + "x"] {
            #expect(try await fixture.inspect(token) == SessionV1.InspectSessionResponse())
        }
    }

    @Test("G-01: a session whose row is erased is unknown")
    func erased() async throws {
        let tokens = try await fixture.open()
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute("DELETE FROM session")
        }
        #expect(try await fixture.inspect(tokens.accessToken) == SessionV1.InspectSessionResponse())
        await expectRefused(.sessionEnded) { try await fixture.refresh(tokens.refreshToken) }
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 0)
    }
}
