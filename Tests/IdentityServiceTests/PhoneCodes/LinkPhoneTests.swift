import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Linking a phone number to an account (G-14), and proving ownership by a code (G-13).
struct LinkPhoneTests {
    /// An account with a password, and one of its sessions.
    private func person(_ fixture: PhoneCodeFixture) async throws -> (
        account: String, token: String
    ) {
        let account = try #require(try await fixture.identity.register().account)
        return (account.accountId, fixture.identity.devices.open(account.accountId))
    }

    @Test("G-14: a linked number signs in to its account")
    func links() async throws {
        let fixture = try PhoneCodeFixture()
        let (account, token) = try await person(fixture)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        #expect(fixture.identity.texts.texts.last?.accountId == account)
        let linked = try await fixture.link(sent, token)
        #expect(linked.phoneNumber == PhoneCodeFixture.number)
        #expect(Set(linked.methods) == ["password", "phone"])
        let answer = try await fixture.signIn(try await fixture.sent())
        #expect(!answer.isNewUser)
        #expect(answer.account?.accountId == account)
    }

    @Test("I-06: a linking code works once, and only for its account")
    func once() async throws {
        let fixture = try PhoneCodeFixture()
        let (_, token) = try await person(fixture)
        let other = try #require(
            try await fixture.identity.register("eve@example.org").account
        ).accountId
        let stranger = fixture.identity.devices.open(other)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        #expect(try await refusal { try await fixture.link(sent, stranger) }.code == .invalidCode)
        _ = try await fixture.link(sent, token)
        let again = try await refusal { try await fixture.link(sent, token) }
        #expect(again.code == .providerAlreadyLinked)
    }

    @Test("G-25: a repeat under the same key links the number once")
    func repeats() async throws {
        let fixture = try PhoneCodeFixture()
        let (_, token) = try await person(fixture)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        let first = try await fixture.link(sent, token, key: "k1")
        let again = try await fixture.link(sent, token, key: "k1")
        #expect(first == again)
    }

    @Test("G-14: only a caller with the right code learns that the number cannot be linked")
    func taken() async throws {
        let fixture = try PhoneCodeFixture()
        _ = try await fixture.account()
        let (_, token) = try await person(fixture)
        let taken = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        #expect(
            try await refusal { try await fixture.link(taken, token) }.code
                == .credentialAlreadyInUse)
        let again = try await refusal { try await fixture.link(taken, token) }
        #expect(again.code == .credentialAlreadyInUse, "a repeat gets the same answer")
        let own = "+4915112345679"
        _ = try await fixture.link(
            try await fixture.sent(own, .link, accessToken: token), token, own)
        let third = "+4915112345670"
        let second = try await fixture.sent(third, .link, accessToken: token)
        #expect(
            try await refusal { try await fixture.link(second, token, third) }.code
                == .providerAlreadyLinked)
    }

    @Test("I-05: a number that an account has with its trunk prefix is taken, and proves its owner")
    func formerText() async throws {
        let fixture = try PhoneCodeFixture()
        let former = PhoneIdentity.proved("+49015112345678")
        let owner = try #require(try await fixture.identity.signIn(former).account)
        let (_, stranger) = try await person(fixture)
        let linking = try await fixture.sent(
            PhoneCodeFixture.number, .link, accessToken: stranger)
        #expect(
            try await refusal { try await fixture.link(linking, stranger) }.code
                == .credentialAlreadyInUse)
        let token = fixture.identity.devices.open(owner.accountId, amr: ["sms", "otp"])
        let proving = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        #expect(try await fixture.prove(proving, token).accountId == owner.accountId)
    }

    @Test("G-14: linking a number needs a recent sign-in")
    func recency() async throws {
        let fixture = try PhoneCodeFixture()
        let (_, token) = try await person(fixture)
        fixture.identity.time.advance(by: .seconds(240))
        let sent = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        fixture.identity.time.advance(by: .seconds(60))
        #expect(
            try await refusal { try await fixture.link(sent, token) }.code == .requiresRecentLogin)
    }

    @Test("G-14: without a recent sign-in no code to link a number is sent, nor to a guest")
    func codeRecency() async throws {
        let fixture = try PhoneCodeFixture()
        let (_, token) = try await person(fixture)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        let texts = fixture.identity.texts.texts.count
        fixture.identity.time.advance(by: .seconds(300))
        let linking = try await refusal { try await fixture.link(sent, token) }
        let requesting = try await refusal {
            try await fixture.request(PhoneCodeFixture.number, .link, accessToken: token)
        }
        #expect(requesting.code == .requiresRecentLogin && requesting == linking)
        let guest = try await fixture.identity.guest().token
        let refused = try await refusal {
            try await fixture.request(PhoneCodeFixture.number, .link, accessToken: guest)
        }
        #expect(refused.code == .operationNotAllowed)
        try await fixture.identity.relay()
        #expect(fixture.identity.texts.texts.count == texts)
    }

    @Test("G-13: a code sent to the account's own number proves its owner, once")
    func proves() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let token = fixture.identity.devices.open(account.accountId, amr: ["sms", "otp"])
        let sent = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        let proof = try await fixture.prove(sent, token)
        #expect(proof.accountId == account.accountId)
        #expect(proof.amr == ["sms", "otp"])
        #expect(fixture.identity.keys.proofs.isGenuine(proof))
        #expect(try await refusal { try await fixture.prove(sent, token) }.code == .invalidCode)
        #expect(try await fixture.audit().contains("phone-code.proved"))
    }

    @Test("G-25: a repeat with the right code gets a new proof; a wrong code is refused")
    func provesAgain() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let token = fixture.identity.devices.open(account.accountId, amr: ["sms", "otp"])
        let sent = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        let first = try await fixture.prove(sent, token, key: "k1")
        fixture.identity.time.advance(by: .seconds(3_600))
        let again = try await fixture.prove(sent, token, key: "k1")
        #expect(first.accountId == again.accountId && first.nonce != again.nonce)
        #expect(first.authTimeMs == again.authTimeMs, "the used code proves nothing recent")
        #expect(first.provedAtMs < again.provedAtMs)
        let wrong = try await refusal { try await fixture.prove(sent.wrong, token, key: "k1") }
        #expect(wrong.code == .invalidCode)
    }

    @Test("G-13: a number that was unlinked proves nothing")
    func left() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let token = fixture.identity.devices.open(account.accountId)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        try await fixture.identity.change("DELETE FROM identities")
        #expect(try await refusal { try await fixture.prove(sent, token) }.code == .invalidCode)
    }

    @Test("G-13: five wrong guesses void a proving code")
    func guesses() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let token = fixture.identity.devices.open(account.accountId)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        for _ in 0..<5 { _ = try await refusal { try await fixture.prove(sent.wrong, token) } }
        #expect(try await refusal { try await fixture.prove(sent, token) }.code == .invalidCode)
    }

    @Test("X-04: a takeover deletes the pending codes that the account's sessions requested")
    func takeover() async throws {
        let fixture = try PhoneCodeFixture()
        let (account, token) = try await person(fixture)
        _ = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        _ = try await fixture.sent()
        let id = try #require(AccountID(text: account))
        try await fixture.identity.store.writeUnchecked { try $0.removePhoneCodes(of: id) }
        #expect(try await fixture.identity.count("phone_codes") == 1)
        #expect(try await fixture.identity.count("phone_codes", where: "account IS NULL") == 1)
    }
}
