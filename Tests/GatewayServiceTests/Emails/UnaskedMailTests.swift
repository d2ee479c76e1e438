import GatewayService
import IdentityService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("R-03: mails that their recipient did not request are limited", .timeLimit(.minutes(1)))
struct UnaskedMailTests {
    @Test("M7: sign-ups on a taken email from many addresses send its owner five mails an hour")
    func taken() async throws {
        let house = try await GatewayFixture()
        _ = try await house.signUp()
        house.time.advance(by: .seconds(3_600))
        for number in 0..<20 {
            let error = try await refusal {
                try await house.signUp(
                    "ADA@example.org", in: house.context(address: "198.51.100.\(number)"))
            }
            #expect(error == ServiceError(.emailAlreadyInUse, fields: ["email"]), "\(number)")
        }
        #expect(try await house.inner.mails().count == 1 + 5)
        house.time.advance(by: .seconds(3_600))
        _ = try await refusal {
            try await house.signUp(in: house.context(address: "198.51.100.99"))
        }
        #expect(try await house.inner.mails().count == 1 + 6)
    }

    @Test("M7: a mail that the owner requests is sent despite that limit")
    func reset() async throws {
        let house = try await GatewayFixture()
        _ = try await house.signUp()
        for number in 0..<20 {
            _ = try await refusal {
                try await house.signUp(in: house.context(address: "198.51.100.\(number)"))
            }
        }
        _ = try await house.passwords.requestPasswordReset(
            .init(email: "ada@example.org"), house.context())
        _ = try await house.inner.linkToken(page: "reset-password")
    }

    @Test("M7: changes to one address by many accounts send it five mails; more are rejected")
    func changes() async throws {
        let house = try await GatewayFixture()
        for number in 0..<8 {
            let context = house.context(address: "198.51.100.\(number)")
            let eve = try await house.signUp("eve\(number)@example.org", in: context)
            let access = eve.session.accessToken
            if number < 5 {
                let asked = try await house.requestEmailChange("victim@example.org", access)
                #expect(asked.pendingEmail == "victim@example.org")
                continue
            }
            let error = try await refusal {
                try await house.requestEmailChange("victim@example.org", access)
            }
            #expect(error.code == .tooManyRequests && error.retryAfter != nil)
            #expect(try await house.check(access).account?.pendingEmail == "")
            let left = try house.inner.left("verification-mail-by-account", eve.account.accountId)
            #expect(left == 3, "a rejected change is refunded to the account")
        }
        let mails = try await house.inner.mails(to: "victim@example.org")
        #expect(mails.count == 5)
    }

    @Test("M7: under strict enumeration, mails to free, claimed and taken emails share one limit")
    func strict() async throws {
        let house = try await GatewayFixture(enumeration: .strict)
        for number in 0..<8 {
            let answer = try await house.gateway.signUpWithPassword(
                .init(
                    email: "victim@example.org", password: "Correct7Horse",
                    device: GatewayFixture.device("d1")),
                house.context(address: "198.51.100.\(number)"))
            #expect(answer.account?.pendingEmail == "victim@example.org")
        }
        #expect(try await house.inner.mails(to: "victim@example.org").count == 5)
    }

    @Test("M7: a user whose mail was withheld at a strict sign-up requests it in his own session")
    func ownSession() async throws {
        let house = try await GatewayFixture(enumeration: .strict)
        var sessions: [SignedIn] = []
        for number in 0..<6 {
            sessions.append(
                try await house.signUp(
                    "victim@example.org", in: house.context(address: "198.51.100.\(number)")))
        }
        let owner = try #require(sessions.last)
        #expect(try await house.inner.mails(to: "victim@example.org").count == 5)
        let answer = try await house.passwords.resendVerificationEmail(
            .init(accessToken: owner.session.accessToken, device: GatewayFixture.device("d1")),
            house.context())
        #expect(answer.sent)
        let token = try await house.inner.linkToken(to: "victim@example.org")
        let account = try await house.verify(token, accessToken: owner.session.accessToken)
        #expect(account.email == "victim@example.org" && account.emailVerified)
    }

    @Test("M7: a malformed sign-up does not count towards the mails of an email")
    func refused() async throws {
        let house = try await GatewayFixture()
        for _ in 0..<10 {
            _ = try await refusal { try await house.signUp(password: "short") }
        }
        #expect(try house.inner.left("mail-by-target", "ada@example.org") == 5)
    }
}
