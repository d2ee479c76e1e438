import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: a child is confirmed by its first use")
struct ConfirmationTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("G-10: once the child's access token was validated here, its parent is a replay")
    func validated() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken)
        let again = try await fixture.refresh(first.refreshToken)
        #expect(again.refreshToken == child.refreshToken)
        #expect(fixture.validate(again.accessToken).valid)
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
        #expect(!fixture.validate(child.accessToken).valid)
    }

    @Test("G-10: the parent's own access token does not confirm the child")
    func parents() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken)
        #expect(fixture.validate(first.accessToken).valid)
        #expect(try await fixture.refresh(first.refreshToken).refreshToken == child.refreshToken)
    }

    @Test("a crash loses confirmations: milder for the rest of the grace and no longer")
    func crash() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken)
        #expect(fixture.validate(child.accessToken).valid)
        try await fixture.restart()
        #expect(try await fixture.refresh(first.refreshToken).refreshToken == child.refreshToken)
        fixture.time.advance(by: .seconds(30))
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
    }

    @Test("a confirmation is remembered for one grace and removed after two")
    func bounded() async throws {
        let grace: Duration = .seconds(30)
        let confirmations = Confirmations(grace: grace)
        let tokens = try await fixture.open()
        let token = try #require(
            fixture.service.sessions.accessTokens.known(tokens.accessToken)?.token)
        let start = fixture.time.now()
        confirmations.record(token, at: start)
        #expect(confirmations.hasSeen(token.session, 1))
        #expect(!confirmations.hasSeen(token.session, 2))
        confirmations.record(token, at: start + grace)
        #expect(confirmations.count == 2, "retained when the generations change")
        let late = Confirmations(grace: grace)
        late.record(token, at: start + grace + .seconds(1))
        #expect(late.count == 0, "too old to matter")
    }

    @Test("B21: a confirmation is removed after two graces even if no other is added")
    func forgotten() async throws {
        let grace: Duration = .seconds(30)
        let confirmations = Confirmations(grace: grace)
        let tokens = try await fixture.open()
        let token = try #require(
            fixture.service.sessions.accessTokens.known(tokens.accessToken)?.token)
        let start = fixture.time.now()
        confirmations.record(token, at: start)
        confirmations.forget(at: start + grace - .milliseconds(1))
        #expect(confirmations.hasSeen(token.session, 1))
        confirmations.forget(at: start + grace)
        #expect(confirmations.hasSeen(token.session, 1), "within two graces")
        confirmations.forget(at: start + grace * 3)
        #expect(confirmations.count == 0)
    }
}
