import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-13: a live session can get a new proof")
struct ReauthenticateTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("G-13: the new access token and later ones have the new proof, in the same session")
    func recorded() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(400))
        let moment = fixture.time.now().milliseconds
        let proof = fixture.proof(try fixture.account(), methods: ["pwd", "otp"])
        let answer = try await fixture.reauthenticate(tokens.accessToken, proof)
        #expect(answer.authenticatedAtMs == moment)
        let validity = fixture.validate(answer.accessToken)
        #expect(validity.valid && validity.sessionId == tokens.sessionId)
        #expect(validity.authTimeMs == moment && validity.amr == ["pwd", "otp"])
        #expect(answer.accessExpiresAtMs == validity.expiresAtMs)
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(fixture.validate(child.accessToken).authTimeMs == moment)
        #expect(try await fixture.number("SELECT count(*) FROM session") == 1)
        #expect(try await fixture.audited(.sessionReauthenticated) == 1)
    }

    @Test("S-02: a session keeps the limits of its sign-in, whatever is proved later")
    func limits() async throws {
        let fixture = try await SessionFixture(flags: [
            "--session-limits", "otp=10d/20d", "--session-limits", "pwd=30d/90d",
        ])
        let account = try fixture.account()
        let code = try await fixture.create(fixture.proof(account, methods: ["otp"]))
        let password = try await fixture.create(fixture.proof(account, methods: ["pwd"]))
        let shown = [(code, "pwd"), (password, "otp")]
        for (tokens, method) in shown {
            let answer = try await fixture.reauthenticate(
                tokens.accessToken, fixture.proof(account, methods: [method]))
            #expect(fixture.validate(answer.accessToken).amr == [method])
        }
        for (tokens, days) in [(code, Int64(20)), (password, 90)] {
            let child = try await fixture.refresh(tokens.refreshToken)
            #expect(
                child.expiresAtMs == tokens.expiresAtMs
                    && child.expiresAtMs == fixture.time.now().milliseconds + days * 86_400_000)
        }
        fixture.time.advance(by: .seconds(10 * 86_400))
        #expect(try await !fixture.isLive(code), "a password does not prolong a code's session")
        #expect(try await fixture.isLive(password), "nor does a code shorten a password's")
    }

    @Test("F-04: a second proof lifts the session to aal2, for all of its later tokens")
    func assurance() async throws {
        let account = try fixture.account()
        let tokens = try await fixture.open()
        #expect(fixture.validate(tokens.accessToken).acr == "aal1")
        let lifted = try await fixture.reauthenticate(
            tokens.accessToken, fixture.proof(account, methods: ["otp", "totp", "mfa"]))
        let validity = fixture.validate(lifted.accessToken)
        #expect(validity.acr == "aal2" && validity.amr == ["otp", "totp", "mfa"])
        #expect(fixture.validate(tokens.accessToken).acr == "aal1", "a token says what it said")
        fixture.time.advance(by: .seconds(100))
        let password = try await fixture.reauthenticate(
            lifted.accessToken, fixture.proof(account))
        let later = fixture.validate(password.accessToken)
        #expect(later.acr == "aal2" && later.amr == ["pwd"], "the session has both")
        try await fixture.restart()
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(fixture.validate(child.accessToken).acr == "aal2")
        #expect(try await fixture.list(child.accessToken).map(\.acr) == ["aal2"])
        let shown = try await fixture.service.sessions.introspectToken(
            .init(accessToken: child.accessToken), fixture.context())
        #expect(shown.active && shown.acr == "aal2")
    }

    @Test(
        "F-04: a session has the assurance of its sign-in, and a guest's has none",
        arguments: [
            (["pwd"], "aal1"), (["sms", "otp"], "aal1"), (["pwd", "otp", "totp", "mfa"], "aal2"),
            (["fed", "mfa"], "aal2"), (["anon"], ""),
        ])
    func signIn(methods: [String], acr: String) async throws {
        let tokens = try await fixture.create(
            fixture.proof(try fixture.account(), methods: methods))
        #expect(fixture.validate(tokens.accessToken).acr == acr)
        #expect(try await fixture.list(tokens.accessToken).map(\.acr) == [acr])
    }

    @Test("G-13: each method keeps its own time; a token has the latest")
    func ways() async throws {
        let tokens = try await fixture.open()
        let start = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(100))
        let account = try fixture.account()
        let answer = try await fixture.reauthenticate(
            tokens.accessToken, fixture.proof(account, methods: ["otp"]))
        let list = try await fixture.service.devices.listProofs(
            .init(accessToken: answer.accessToken), fixture.context())
        #expect(list.proofs.map(\.amr) == [["pwd"], ["otp"]])
        #expect(list.proofs.map(\.provedAtMs) == [start, start + 100_000])
        #expect(list.accountId == account.text && list.sessionId == tokens.sessionId)
        #expect(!list.hasDeviceKey && list.nowMs == start + 100_000)
        await expectRefused(.invalidAccessToken) {
            try await fixture.service.devices.listProofs(.init(accessToken: "x"), fixture.context())
        }
        _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        await expectRefused(.sessionEnded) {
            try await fixture.service.devices.listProofs(
                .init(accessToken: answer.accessToken), fixture.context())
        }
    }

    @Test("G-13: a proof is accepted once, while fresh, and only for its own account")
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
        let reports = fixture.log.lines.filter {
            $0.contains("session.sign_in_proof.not_genuine")
        }
        #expect(reports.count == 1)
    }

    @Test("G-13: an ended session or an expired token cannot be re-authenticated")
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

    @Test("G-10: a lost child is not confirmed by re-authentication with its parent's token")
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

    @Test("S-06: a reset ends sessions that were opened before it, even if proved since")
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
