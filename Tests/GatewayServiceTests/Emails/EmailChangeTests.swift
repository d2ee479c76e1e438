import Contracts
import IdentityService
import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-12: a user changes the email address through the gateway", .timeLimit(.minutes(1)))
struct EmailChangeTests {
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    @Test("G-12: the new address is confirmed in the requesting session, which stays signed in")
    func changes() async throws {
        let access = ada.session.accessToken
        let requested = try await fixture.requestEmailChange("new@example.org", access)
        #expect(requested.pendingEmail == "new@example.org")
        let state = try await fixture.check(access)
        #expect(state.account?.pendingEmail == "new@example.org")
        let token = try await fixture.inner.linkToken(to: "new@example.org", page: "change-email")
        let mails = try await fixture.inner.mails()
        #expect(mails.contains { $0.subject.contains("about to change") })
        let changed = try await fixture.confirmEmailChange(token, access: access)
        #expect(changed.email == "new@example.org" && changed.emailVerified)
        try await fixture.inner.settle()
        #expect(try await fixture.check(access).account?.email == "new@example.org")
        #expect(try await fixture.check(access).requiredActions == [])
        let old = try await refusal { try await fixture.signIn() }
        #expect(old.code == .invalidCredential)
        #expect(
            try await fixture.signIn("new@example.org").account.accountId == ada.account.accountId)
        #expect(try await fixture.inner.mails().contains { $0.subject.contains("has changed") })
    }

    @Test("X-04: my click cannot confirm an attacker's change to my address")
    func strangersChange() async throws {
        let eve = try await fixture.signUp("eve@example.org", password: "Evil7Password")
        _ = try await fixture.requestEmailChange("mine@example.org", eve.session.accessToken)
        let token = try await fixture.inner.linkToken(to: "mine@example.org", page: "change-email")
        for (access, code) in [
            (nil, ErrorCode.passwordNeeded), (ada.session.accessToken, .passwordNeeded),
            ("over", .sessionEnded),
        ] {
            let error = try await refusal {
                try await fixture.confirmEmailChange(token, access: access)
            }
            #expect(error.code == code)
        }
        let typed = try await refusal {
            try await fixture.confirmEmailChange(token, password: "Owners9Password")
        }
        #expect(typed.code == .invalidCredential)
        let mine = try await refusal { try await fixture.signIn("mine@example.org") }
        #expect(mine.code == .invalidCredential)
    }

    @Test("R-03: three changes an hour are allowed, as for verification mails")
    func limited() async throws {
        let access = ada.session.accessToken
        for _ in 0..<3 {
            let error = try await refusal { try await fixture.requestEmailChange("x@", access) }
            #expect(error.code == .invalidEmail)
        }
        for number in 0..<3 {
            _ = try await fixture.requestEmailChange("new\(number)@example.org", access)
        }
        let fourth = try await refusal {
            try await fixture.requestEmailChange("new3@example.org", access)
        }
        #expect(fourth.code == .tooManyRequests)
    }

    @Test("G-13: a change needs a recent proof, for example a new sign-in with the password")
    func recentProof() async throws {
        fixture.time.advance(by: .seconds(301))
        let fresh = try await fixture.refresh(ada.session.refreshToken)
        let error = try await refusal {
            try await fixture.requestEmailChange("new@example.org", fresh.accessToken)
        }
        #expect(error.code == .requiresRecentLogin && error.acceptableProofs == ["password"])
        let again = try await fixture.signIn()
        _ = try await fixture.requestEmailChange("new@example.org", again.session.accessToken)
    }

    @Test("G-12: the owner cancels a change; without a session all calls are rejected")
    func cancels() async throws {
        let access = ada.session.accessToken
        _ = try await fixture.requestEmailChange("new@example.org", access)
        #expect(try await fixture.cancelEmailChange(access))
        #expect(try await fixture.check(access).account?.pendingEmail == "")
        for token in [nil, "x", ada.session.refreshToken] {
            let requested = try await refusal {
                try await fixture.requestEmailChange("new@example.org", token)
            }
            #expect(requested.code == .invalidAccessToken)
            let cancelled = try await refusal { try await fixture.cancelEmailChange(token) }
            #expect(cancelled.code == .invalidAccessToken)
        }
    }
}

@Suite("X-02, G-02: strict enumeration and required verification work through the gateway")
struct StrictFlowTests {
    @Test("X-02: with strict enumeration a free and a taken email look alike until verified")
    func strict() async throws {
        let fixture = try await GatewayFixture(enumeration: .strict)
        let ada = try await fixture.signUp()
        let access = ada.session.accessToken
        #expect(ada.account.isGuest && ada.account.pendingEmail == "ada@example.org")
        let state = try await fixture.check(access)
        #expect(state.authenticated && state.requiredActions == [.verifyEmail])
        let early = try await refusal { try await fixture.signIn() }
        #expect(early.code == .invalidCredential)
        let proved = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: access)
        #expect(proved.emailVerified && !proved.isGuest)
        #expect(try await fixture.check(access).requiredActions == [])
        #expect(try await fixture.signIn().account.accountId == ada.account.accountId)
        let eve = try await fixture.signUp(password: "Evil7Password")
        #expect(eve.account.pendingEmail == "ada@example.org")
        #expect(try await fixture.check(eve.session.accessToken).requiredActions == [.verifyEmail])
        let wrong = try await refusal { try await fixture.signIn(password: "Evil7Password") }
        #expect(wrong.code == .invalidCredential)
        let mails = try await fixture.inner.mails()
        #expect(mails.filter { $0.text.contains("verify-email?token=") }.count == 1)
        #expect(mails.contains { $0.subject.contains("already have an account") })
    }

    @Test(
        "X-04: signing up first with another person's email gains nothing (classic pre-hijack)",
        arguments: [IdentitySettings.EnumerationMode.friendly, .strict])
    func preHijack(mode: IdentitySettings.EnumerationMode) async throws {
        let fixture = try await GatewayFixture(enumeration: mode)
        let eve = try await fixture.signUp(password: "Evil7Password")
        let eves = try await fixture.inner.linkToken()
        fixture.time.advance(by: .seconds(1))
        if mode == .strict {
            let ada = try await fixture.signUp(password: "Owners9Password")
            let token = try await fixture.inner.linkToken()
            _ = try await fixture.verify(token, accessToken: ada.session.accessToken)
            let lost = try await refusal {
                try await fixture.verify(eves, accessToken: eve.session.accessToken)
            }
            #expect(lost.code == .invalidLink)
        } else {
            _ = try await fixture.verify(eves, password: "Owners9Password")
            try await fixture.inner.settle()
            #expect(try await !fixture.check(eve.session.accessToken).authenticated)
        }
        fixture.time.advance(by: .seconds(1))
        let evil = try await refusal { try await fixture.signIn(password: "Evil7Password") }
        #expect(evil.code == .invalidCredential)
        _ = try await fixture.signIn(password: "Owners9Password")
    }

    @Test("G-02: with required verification there is no session before the link is used")
    func required() async throws {
        let fixture = try await GatewayFixture(verification: .required)
        let answer = try await fixture.auth.signUpWithPassword(
            .init(email: "ada@example.org", password: "Correct7Horse"), fixture.context())
        #expect(answer.session == nil && answer.account?.status == .pendingVerification)
        let early = try await refusal { try await fixture.signIn() }
        #expect(early.code == .emailNotVerified)
        for _ in 0..<5 {
            let wrong = try await refusal { try await fixture.resendByPassword("Wrong7Horse") }
            #expect(wrong.code == .invalidCredential)
        }
        #expect(try await refusal { try await fixture.resendByPassword() }.code == .tooManyRequests)
        fixture.time.advance(by: .seconds(900))
        var token = ""
        for _ in 0..<3 {
            #expect(try await fixture.resendByPassword())
            // Delivered before the next one is written: mails are sent concurrently, and the last
            // link counts.
            token = try await fixture.inner.linkToken()
        }
        let fourth = try await refusal { try await fixture.resendByPassword() }
        #expect(fourth.code == .tooManyRequests)
        _ = try await fixture.verify(token, password: "Correct7Horse")
        #expect(try await fixture.signIn().account.status == .active)
    }
}

extension GatewayFixture {
    func requestEmailChange(_ email: String, _ access: String?) async throws -> GatewayV1.Account {
        let answer = try await emails.requestEmailChange(
            .init(newEmail: email), context().bearing(access))
        return try #require(answer.account)
    }

    func confirmEmailChange(
        _ token: String, access: String? = nil, password: String = ""
    ) async throws -> GatewayV1.Account {
        let answer = try await emails.confirmEmailChange(
            .init(token: token, password: .init(text: password)), context().bearing(access))
        return try #require(answer.account)
    }

    func cancelEmailChange(_ access: String?) async throws -> Bool {
        try await emails.cancelEmailChange(.init(), context().bearing(access)).cancelled
    }

    func resendByPassword(_ password: String = "Correct7Horse") async throws -> Bool {
        try await emails.resendVerificationByPassword(
            .init(email: "ada@example.org", password: .init(text: password)), context()
        ).sent
    }
}
