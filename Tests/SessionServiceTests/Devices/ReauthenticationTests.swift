import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-13: a new proof for a live session")
struct ReauthenticationTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("G-13: the access token tells the new proof, and so do those after it; no new session")
    func noted() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(400))
        let moment = fixture.time.now().milliseconds
        let proof = fixture.proof(try fixture.account(), methods: ["pwd", "otp"])
        let answer = try await fixture.reauthenticate(tokens.accessToken, proof)
        #expect(answer.authTimeMs == moment)
        let validity = fixture.validate(answer.accessToken)
        #expect(validity.valid && validity.sessionId == tokens.sessionId)
        #expect(validity.authTimeMs == moment && validity.amr == ["pwd", "otp"])
        #expect(answer.accessExpiresAtMs == validity.expiresAtMs)
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(fixture.validate(child.accessToken).authTimeMs == moment)
        #expect(try await fixture.number("SELECT count(*) FROM session") == 1)
        #expect(try await fixture.audited(.sessionReauthenticated) == 1)
    }

    @Test("G-13: a proof serves once, young, and for its own account only")
    func proofs() async throws {
        let tokens = try await fixture.open()
        let proof = fixture.proof(try fixture.account())
        _ = try await fixture.reauthenticate(tokens.accessToken, proof)
        let forged = fixture.proof(try fixture.account(), key: fixture.master)
        let stranger = fixture.proof(try fixture.account(9))
        let old = fixture.proof(
            try fixture.account(), provedAt: fixture.time.now() - .seconds(31))
        for bad in [proof, forged, stranger, old] {
            await expectRefused(.invalidSignInProof) {
                try await fixture.reauthenticate(tokens.accessToken, bad)
            }
        }
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
    }

    @Test("G-13: an ended session is not proved again, nor by an expired token")
    func ended() async throws {
        let tokens = try await fixture.open()
        let other = try await fixture.open()
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
        await expectRefused(.sessionEnded) {
            try await fixture.reauthenticate(
                tokens.accessToken, fixture.proof(try fixture.account()))
        }
        fixture.time.advance(by: .seconds(700))
        await expectRefused(.invalidAccessToken) {
            try await fixture.reauthenticate(
                other.accessToken, fixture.proof(try fixture.account()))
        }
    }

    @Test("G-10: a lost child is not confirmed by what its parent's token was exchanged for")
    func lostChild() async throws {
        let tokens = try await fixture.open()
        let lost = try await fixture.refresh(tokens.refreshToken)
        let answer = try await fixture.reauthenticate(
            tokens.accessToken, fixture.proof(try fixture.account()))
        #expect(fixture.validate(answer.accessToken).valid)
        let again = try await fixture.refresh(tokens.refreshToken)
        #expect(again.refreshToken == lost.refreshToken)
        #expect(fixture.validate(again.accessToken).valid)
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(tokens.refreshToken)
        }
    }

    @Test("S-06: a reset ends a session that was opened before it, however it was proved since")
    func reset() async throws {
        let tokens = try await fixture.open()
        let other = try await fixture.open()
        fixture.time.advance(by: .seconds(10))
        let reset = fixture.time.now()
        fixture.time.advance(by: .seconds(10))
        _ = try await fixture.reauthenticate(
            tokens.accessToken, fixture.proof(try fixture.account()))
        let new = try await fixture.open()
        #expect(try await fixture.endAccount(try fixture.account(), before: reset) == 2)
        for old in [tokens, other] { #expect(try await !fixture.isLive(old)) }
        #expect(try await fixture.isLive(new))
    }
}
