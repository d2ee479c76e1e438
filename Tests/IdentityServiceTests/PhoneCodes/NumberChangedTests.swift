import Addresses
import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Phone numbers that have changed hands (A-06, D0).
struct NumberChangedTests {
    /// An account with a password and a phone number.
    private func person(_ fixture: PhoneCodeFixture) async throws -> (
        account: String, token: String
    ) {
        let account = try #require(try await fixture.identity.register().account).accountId
        let token = fixture.identity.devices.open(account)
        let sent = try await fixture.sent(PhoneCodeFixture.number, .link, accessToken: token)
        _ = try await fixture.link(sent, token)
        return (account, token)
    }

    @Test("A-06: a code to a changed number requires a second proof by one of the named methods")
    func demands() async throws {
        let fixture = try PhoneCodeFixture()
        let (account, _) = try await person(fixture)
        fixture.identity.time.advance(by: .seconds(3_600))
        try await fixture.change()
        let sent = try await fixture.sent()
        // Without the right code the answer does not reveal the account or its methods.
        #expect(try await refusal { try await fixture.signIn(sent.wrong) }.code == .invalidCode)
        let error = try await refusal { try await fixture.signIn(sent) }
        #expect(error.code == .secondProofRequired && error.alternatives == ["password"])
        #expect(error.secondProof?.kinds == ["password"] && error.secondProof?.hints == [""])
        // The code is used up.
        #expect(try await refusal { try await fixture.signIn(sent) }.code == .invalidCode)
        #expect(try await fixture.audit().contains("phone.number-changed"))
        // A week later the code is enough.
        fixture.identity.time.advance(by: .seconds(7 * 86_400))
        let later = try await fixture.signIn(try await fixture.sent())
        #expect(later.account?.accountId == account)
    }

    @Test("A-06: an independent sign-in and a proof of the number make its codes enough again")
    func confirms() async throws {
        let fixture = try PhoneCodeFixture()
        let (account, _) = try await person(fixture)
        fixture.identity.time.advance(by: .seconds(3_600))
        try await fixture.change()
        _ = try await fixture.identity.signIn()
        let token = fixture.identity.devices.open(account, amr: ["pwd"])
        let proving = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        _ = try await fixture.prove(proving, token)
        #expect(try await fixture.audit().contains("phone.number-confirmed"))
        #expect(try await fixture.signIn(try await fixture.sent()).account?.accountId == account)
        // The provider reports the same change again.
        try await fixture.change()
        #expect(try await fixture.signIn(try await fixture.sent()).account?.accountId == account)
        // A report a month later is another change.
        fixture.identity.time.advance(by: .seconds(30 * 86_400))
        try await fixture.change()
        let error = try await refusal { try await fixture.signIn(try await fixture.sent()) }
        #expect(error.code == .secondProofRequired)
    }

    @Test("A-06: a session opened with the changed number alone does not confirm it")
    func swapped() async throws {
        let fixture = try PhoneCodeFixture()
        let (account, _) = try await person(fixture)
        fixture.identity.time.advance(by: .seconds(3_600))
        try await fixture.change()
        let token = fixture.identity.devices.open(account, amr: ["sms", "otp"])
        let proving = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        _ = try await fixture.prove(proving, token)
        #expect(try await !fixture.audit().contains("phone.number-confirmed"))
        let error = try await refusal { try await fixture.signIn(try await fixture.sent()) }
        #expect(error.code == .secondProofRequired)
    }

    @Test("A-06: a code is enough if the number is the account's only method")
    func alone() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        try await fixture.change()
        let answer = try await fixture.signIn(try await fixture.sent())
        #expect(answer.account?.accountId == account.accountId)
    }

    @Test("A-06: a changed number without an account creates one like any other number")
    func nobody() async throws {
        let fixture = try PhoneCodeFixture()
        try await fixture.change()
        #expect(try await fixture.signIn(try await fixture.sent()).isNewUser)
    }

    @Test("A-06: a guard of zero requires no second proof")
    func off() async throws {
        var settings = PhoneSettings(countries: ["all"])
        settings.changeGuard = .zero
        let fixture = try PhoneCodeFixture(settings)
        let (account, _) = try await person(fixture)
        try await fixture.change()
        #expect(try await fixture.signIn(try await fixture.sent()).account?.accountId == account)
    }

    @Test("A-06, N-01: the owner of a changed number is told once, and not at that number")
    func told() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account().accountId
        fixture.identity.pushes.register(account)
        for _ in 0..<3 { try await fixture.change() }
        try await fixture.identity.relay()
        #expect(fixture.identity.pushes.pushes.map(\.template) == ["number-changed"])
        #expect(fixture.identity.texts.texts.map(\.template) == ["phone-code"])
        #expect(
            try await fixture.identity.count(
                "audit", where: "kind = 'phone.number-changed' AND account IS NOT NULL") == 1)
        let mailed = try PhoneCodeFixture()
        _ = try await person(mailed)
        try await mailed.change()
        try await mailed.identity.relay()
        #expect(mailed.identity.templates.contains("number-changed"))
    }

    @Test("N-07: within the guard no notice is texted to the number; confirmed or later, it is")
    func guarded() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account().accountId
        let owner = try #require(AccountID(text: account))
        let identity = fixture.identity
        func tell(_ template: MailTemplate) async throws -> Bool {
            let texts = identity.texts.texts.count
            let notices = identity.writer.notices
            _ = try await identity.store.writeUnchecked { transaction in
                try notices.write(template, to: owner, DeviceShown(nil), transaction)
            }
            try await identity.relay()
            return identity.texts.texts.count > texts
        }
        try await fixture.change()
        #expect(try await !tell(.passwordChanged))
        let key = identity.keys.lookUpKey(of: try #require(PhoneNumber(PhoneCodeFixture.number)))
        try await identity.store.writeUnchecked { try $0.confirmNumber(key) }
        #expect(try await tell(.sessionReplayed))
        try await identity.change("UPDATE number_changes SET confirmed_at_ms = NULL")
        #expect(try await !tell(.passwordChanged))
        identity.time.advance(by: PhoneSettings().changeGuard)
        #expect(try await tell(.passwordChanged))
    }

    @Test("A-06: only the hash of a changed number is stored, once, for a month")
    func kept() async throws {
        let fixture = try PhoneCodeFixture()
        try await fixture.change()
        try await fixture.change()
        #expect(try await fixture.identity.count("number_changes") == 1)
        let none = try await refusal { try await fixture.change("0151 12345678") }
        #expect(none.code == .invalidPhoneNumber)
        fixture.identity.time.advance(by: .seconds(31 * 86_400))
        try await fixture.change("+4915112345679")
        #expect(try await fixture.identity.count("number_changes") == 2)
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("number_changes") == 1)
    }
}
