import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: mails that their recipient did not request are limited", .timeLimit(.minutes(1)))
struct UnrequestedMailTests {
    @Test("M7: sign-ups on a taken email from many addresses send its owner five mails an hour")
    func taken() async throws {
        let fixture = try await GatewayFixture()
        let owner = try await fixture.signUp()
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: owner.session.accessToken)
        let before = try await fixture.inner.mails().count
        for number in 0..<20 {
            let error = try await refusal {
                try await fixture.signUp(
                    "ADA@example.org", in: fixture.context(address: "198.51.100.\(number)"))
            }
            #expect(error == ServiceError(.emailAlreadyInUse, fields: ["email"]), "\(number)")
        }
        #expect(try await fixture.inner.mails().count == before + 4, "and the sign-up's")
        fixture.time.advance(by: .seconds(3_600))
        _ = try await refusal {
            try await fixture.signUp(in: fixture.context(address: "198.51.100.99"))
        }
        #expect(try await fixture.inner.mails().count == before + 5)
    }

    @Test("M7: a mail that the owner requests is sent despite that limit")
    func reset() async throws {
        let fixture = try await GatewayFixture()
        _ = try await fixture.signUp()
        for number in 0..<20 {
            _ = try await refusal {
                try await fixture.signUp(in: fixture.context(address: "198.51.100.\(number)"))
            }
        }
        _ = try await fixture.passwords.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        _ = try await fixture.inner.linkToken(page: "reset-password")
    }

    @Test("M7: changes to one address by many accounts send it five mails; more are rejected")
    func changes() async throws {
        let fixture = try await GatewayFixture()
        for number in 0..<8 {
            let context = fixture.context(address: "198.51.100.\(number)")
            let eve = try await fixture.signUp("eve\(number)@example.org", in: context)
            let access = eve.session.accessToken
            if number < 5 {
                let requested = try await fixture.requestEmailChange("victim@example.org", access)
                #expect(requested.pendingEmail == "victim@example.org")
                continue
            }
            let error = try await refusal {
                try await fixture.requestEmailChange("victim@example.org", access)
            }
            #expect(error.code == .tooManyRequests && error.retryAfter != nil)
            #expect(try await fixture.check(access).account?.pendingEmail == "")
            let left = try fixture.inner.left("verification-mail-by-account", eve.account.accountId)
            #expect(left == 3, "a rejected change is refunded to the account")
        }
        let mails = try await fixture.inner.mails(to: "victim@example.org")
        #expect(mails.count == 5)
    }

    @Test(
        "M7: a sign-up with a free email uses up none of its mails, and a claim one",
        arguments: [(.friendly, 5), (.strict, 4)]
            as [(IdentitySettings.EnumerationMode, UInt32)])
    func free(mode: IdentitySettings.EnumerationMode, left: UInt32) async throws {
        let fixture = try await GatewayFixture(enumeration: mode)
        _ = try await fixture.signUp()
        #expect(try fixture.inner.left("mail-by-target", "ada@example.org") == left)
    }

    @Test("M7: under strict enumeration, mails to free, claimed and taken emails share one limit")
    func strict() async throws {
        let fixture = try await GatewayFixture(enumeration: .strict)
        for number in 0..<8 {
            let answer = try await fixture.auth.signUpWithPassword(
                .init(
                    email: "victim@example.org", password: "Correct7Horse",
                    device: GatewayFixture.device("d1")),
                fixture.context(address: "198.51.100.\(number)"))
            #expect(answer.account?.pendingEmail == "victim@example.org")
        }
        #expect(try await fixture.inner.mails(to: "victim@example.org").count == 3)
    }

    @Test("M7: a user whose mail was withheld at a strict sign-up requests it in his own session")
    func ownSession() async throws {
        let fixture = try await GatewayFixture(enumeration: .strict)
        var sessions: [SignedIn] = []
        for number in 0..<6 {
            sessions.append(
                try await fixture.signUp(
                    "victim@example.org", in: fixture.context(address: "198.51.100.\(number)")))
        }
        let owner = try #require(sessions.last)
        #expect(try await fixture.inner.mails(to: "victim@example.org").count == 3)
        let answer = try await fixture.emails.resendVerificationEmail(
            .init(device: GatewayFixture.device("d1")),
            fixture.context().bearing(owner.session.accessToken))
        #expect(answer.sent)
        let token = try await fixture.inner.linkToken(to: "victim@example.org")
        let account = try await fixture.verify(token, accessToken: owner.session.accessToken)
        #expect(account.email == "victim@example.org" && account.emailVerified)
    }

    @Test("M7: a malformed sign-up does not count towards the mails of an email")
    func refused() async throws {
        let fixture = try await GatewayFixture()
        for _ in 0..<10 {
            _ = try await refusal { try await fixture.signUp(password: "short") }
        }
        #expect(try fixture.inner.left("mail-by-target", "ada@example.org") == 5)
    }
}
