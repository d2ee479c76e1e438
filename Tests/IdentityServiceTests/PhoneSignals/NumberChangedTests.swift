import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// Phone numbers that have changed hands (A-06, D0).
struct NumberChangedTests {
    /// An account with a password and a phone number.
    private func person(_ bench: PhoneCodeFixture) async throws -> (account: String, token: String)
    {
        let account = try #require(try await bench.house.register().account).accountId
        let token = bench.house.devices.open(account)
        let sent = try await bench.sent(PhoneCodeFixture.number, .link, accessToken: token)
        _ = try await bench.link(sent, token)
        return (account, token)
    }

    @Test("A-06: a code to a changed number requires a second proof by one of the named methods")
    func demands() async throws {
        let bench = try PhoneCodeFixture()
        let (account, _) = try await person(bench)
        bench.house.time.advance(by: .seconds(3_600))
        try await bench.change()
        let sent = try await bench.sent()
        let error = try await refusal { try await bench.signIn(sent) }
        #expect(error == ServiceError(.secondProofRequired, fields: ["password"]))
        // Without the right code the answer does not reveal the account or its methods.
        #expect(try await refusal { try await bench.signIn(sent.wrong) }.code == .invalidCode)
        #expect(try await bench.audit().contains("phone.number-changed"))
        // A week later the code is enough.
        bench.house.time.advance(by: .seconds(7 * 86_400))
        let later = try await bench.signIn(try await bench.sent())
        #expect(later.account?.accountId == account)
    }

    @Test("A-06: an independent sign-in and a proof of the number make its codes enough again")
    func confirms() async throws {
        let bench = try PhoneCodeFixture()
        let (account, _) = try await person(bench)
        bench.house.time.advance(by: .seconds(3_600))
        try await bench.change()
        _ = try await bench.house.signIn()
        let token = bench.house.devices.open(account, amr: ["pwd"])
        let proving = try await bench.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        _ = try await bench.prove(proving, token)
        #expect(try await bench.audit().contains("phone.number-confirmed"))
        #expect(try await bench.signIn(try await bench.sent()).account?.accountId == account)
        // The provider reports the same change again.
        try await bench.change()
        #expect(try await bench.signIn(try await bench.sent()).account?.accountId == account)
        // A report a month later is another change.
        bench.house.time.advance(by: .seconds(30 * 86_400))
        try await bench.change()
        let error = try await refusal { try await bench.signIn(try await bench.sent()) }
        #expect(error.code == .secondProofRequired)
    }

    @Test("A-06: a session opened with the changed number alone does not confirm it")
    func swapped() async throws {
        let bench = try PhoneCodeFixture()
        let (account, _) = try await person(bench)
        bench.house.time.advance(by: .seconds(3_600))
        try await bench.change()
        let token = bench.house.devices.open(account, amr: ["sms", "otp"])
        let proving = try await bench.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        _ = try await bench.prove(proving, token)
        #expect(try await !bench.audit().contains("phone.number-confirmed"))
        let error = try await refusal { try await bench.signIn(try await bench.sent()) }
        #expect(error.code == .secondProofRequired)
    }

    @Test("A-06: a code is enough if the number is the account's only method")
    func alone() async throws {
        let bench = try PhoneCodeFixture()
        let account = try await bench.account()
        try await bench.change()
        let answer = try await bench.signIn(try await bench.sent())
        #expect(answer.account?.accountId == account.accountId)
    }

    @Test("A-06: a changed number without an account creates one like any other number")
    func nobody() async throws {
        let bench = try PhoneCodeFixture()
        try await bench.change()
        #expect(try await bench.signIn(try await bench.sent()).isNewUser)
    }

    @Test("A-06: a guard of zero requires no second proof")
    func off() async throws {
        let bench = try PhoneCodeFixture(PhoneSettings(countries: ["all"], changeGuard: .zero))
        let (account, _) = try await person(bench)
        try await bench.change()
        #expect(try await bench.signIn(try await bench.sent()).account?.accountId == account)
    }

    @Test("A-06: only the hash of a changed number is stored, once, for a month")
    func kept() async throws {
        let bench = try PhoneCodeFixture()
        try await bench.change()
        try await bench.change()
        #expect(try await bench.house.count("number_changes") == 1)
        let none = try await refusal { try await bench.change("0151 12345678") }
        #expect(none.code == .invalidPhoneNumber)
        bench.house.time.advance(by: .seconds(31 * 86_400))
        try await bench.change("+4915112345679")
        #expect(try await bench.house.count("number_changes") == 1)
    }
}
