import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Requesting a phone code (G-06).
struct RequestCodeTests {
    @Test("G-06: a six-digit code is sent, and is sealed in the outbox until delivery")
    func sends() async throws {
        let fixture = try PhoneCodeFixture()
        let answer = try await fixture.request("+49 151 123-45678", language: "de")
        #expect(answer.requestId.hasPrefix("pcr_"))
        #expect(!answer.isTest)
        #expect(
            answer.expiresAtMs == fixture.identity.time.now().milliseconds + 300_000)
        #expect(try await fixture.identity.count("outbox", where: "topic = 'text'") == 1)
        try await fixture.identity.relay()
        let text = try #require(fixture.identity.texts.texts.first)
        #expect(text.recipient == "+4915112345678")
        #expect(text.template == "phone-code")
        #expect(text.language == "de")
        #expect(text.expiresAtMs == answer.expiresAtMs)
        #expect(text.accountId.isEmpty)
        #expect(
            text.variables.map(\.name) == SMSTemplate.phoneCode.variables.map(\.rawValue))
        #expect(PhoneCode(typed: text.variables[0].value) != nil)
        #expect(text.variables[1].value == "5")
    }

    @Test("X-02: numbers with and without an account get the same answer and the same writes")
    func enumeration() async throws {
        let fixture = try PhoneCodeFixture()
        _ = try await fixture.account()
        let known = try await rows(fixture, "+4915112345678")
        let unknown = try await rows(fixture, "+4915112345679")
        #expect(known == unknown)
    }

    /// How many rows one request adds to each table.
    private func rows(_ fixture: PhoneCodeFixture, _ number: String) async throws -> [Int64] {
        func counts() async throws -> [Int64] {
            var counts: [Int64] = []
            for table in ["phone_codes", "outbox", "audit", "accounts", "identities"] {
                counts.append(try await fixture.identity.count(table))
            }
            return counts
        }
        let before = try await counts()
        let answer = try await fixture.request(number)
        #expect(answer.requestId.utf8.count == 17)
        let after = try await counts()
        return zip(after, before).map { $0 - $1 }
    }

    @Test("I-06: neither the number nor the code is stored in clear")
    func erasure() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let texts = try await fixture.identity.store.read { session in
            try session.query("SELECT number_key, code_hash FROM phone_codes", []) { row in
                (try row.blob(0), try row.blob(1))
            }
        }
        let row = try #require(texts.first)
        #expect(row.0.count == 16)
        #expect(row.1.count == 32)
        for bytes in [row.0, row.1] {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains(sent.code) && !text.contains("15112345678"))
        }
    }

    @Test("G-25: a repeat gets the same answer and sends nothing")
    func repeats() async throws {
        let fixture = try PhoneCodeFixture()
        let first = try await fixture.request(key: "k1")
        let again = try await fixture.request(key: "k1")
        #expect(first == again)
        #expect(try await fixture.identity.count("phone_codes") == 1)
        #expect(try await fixture.identity.count("outbox") == 1)
        let other = try await refusal { try await fixture.request("+4915112345679", key: "k1") }
        #expect(other.code == .idempotencyKeyReused)
    }

    @Test("I-06: a newer request voids the previous code of the same purpose only")
    func resend() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let token = fixture.identity.devices.open(account.accountId)
        let proving = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        let first = try await fixture.sent()
        let second = try await fixture.sent()
        #expect(try await refusal { try await fixture.signIn(first) }.code == .invalidCode)
        #expect(try await fixture.signIn(second).account?.accountId == account.accountId)
        #expect(try await fixture.prove(proving, token).accountId == account.accountId)
    }

    @Test(
        "G-06: no code is sent to an invalid number, or to one the operator does not allow",
        arguments: [
            ([], "+4915112345678", ErrorCode.operationNotAllowed),
            (["US"], "+4915112345678", .phoneCountryNotAllowed),
            (["all"], "+881612345678", .phoneCountryNotAllowed),
            (["all"], "0151 12345678", .invalidPhoneNumber),
            (["all"], "+49 0151 12345678", .invalidPhoneNumber),
            (["all"], "+49 900 1234567", .invalidPhoneNumber),
        ])
    func countries(countries: [String], number: String, code: ErrorCode) async throws {
        let fixture = try PhoneCodeFixture(PhoneSettings(countries: countries))
        let error = try await refusal { try await fixture.request(number) }
        #expect(error.code == code)
        #expect(error.fields == ["phone_number"])
        #expect(try await fixture.identity.count("outbox") == 0)
        #expect(try await fixture.identity.count("phone_codes") == 0)
    }

    @Test("G-06: an unknown purpose is refused, and an invalid language is replaced by the default")
    func purposes() async throws {
        let fixture = try PhoneCodeFixture()
        for purpose in [GatewayV1.PhoneCodePurpose.unspecified, .unrecognized(9)] {
            let error = try await refusal {
                try await fixture.phones.requestPhoneCode(
                    .init(phoneNumber: PhoneCodeFixture.number, purpose: purpose),
                    fixture.identity.context())
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["purpose"]))
        }
        _ = try await fixture.request(language: "no language")
        try await fixture.identity.relay()
        #expect(fixture.identity.texts.texts.map(\.language) == ["en"])
    }

    @Test("G-14: linking and proving need a session, and proving needs the account's own number")
    func sessions() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        for purpose in [PhoneCodePurpose.link, .prove] {
            let error = try await refusal {
                try await fixture.request(PhoneCodeFixture.number, purpose)
            }
            #expect(error.code == .invalidAccessToken)
        }
        let token = fixture.identity.devices.open(account.accountId)
        let other = try await refusal {
            try await fixture.request("+4915112345679", .prove, accessToken: token)
        }
        #expect(other.code == .methodNotLinked)
        _ = try await fixture.request("+4915112345679", .link, accessToken: token)
    }

    @Test("G-06: a test number gets no message and accepts its configured code")
    func tests() async throws {
        let fixture = try PhoneCodeFixture(
            PhoneSettings(testNumbers: ["+15555550100=123456 until 2099-12-31"]))
        let answer = try await fixture.request("+1 (555) 555-0100")
        #expect(answer.isTest)
        #expect(try await fixture.identity.count("outbox") == 0)
        let sent = SentCode(request: answer.requestId, code: "123456")
        #expect(try await fixture.signIn(sent, "+15555550100").isNewUser)
        #expect(fixture.identity.log.lines.contains { $0.contains("phone-test-numbers") })
        // Other numbers stay refused.
        let other = try await refusal { try await fixture.request() }
        #expect(other.code == .operationNotAllowed)
    }

    @Test("G-06: a test number and its codes are refused after its last day")
    func endedTests() async throws {
        let fixture = try PhoneCodeFixture(
            PhoneSettings(testNumbers: ["+15555550100=123456 until 2099-12-31"]))
        let end = try #require(fixture.identity.settings.phone.testNumbers.first).endsAt
        fixture.identity.time.advance(by: end - fixture.identity.time.now() - .seconds(60))
        let answer = try await fixture.request("+15555550100")
        #expect(answer.expiresAtMs == end.milliseconds)
        fixture.identity.time.advance(by: .seconds(60))
        let sent = SentCode(request: answer.requestId, code: "123456")
        let late = try await refusal { try await fixture.signIn(sent, "+15555550100") }
        #expect(late.code == .codeExpired)
        let error = try await refusal { try await fixture.request("+15555550100") }
        #expect(error.code == .operationNotAllowed)
    }

    @Test("N-03: a code that expired before its delivery is not sent, and this is logged")
    func outbox() async throws {
        let fixture = try PhoneCodeFixture()
        fixture.identity.texts.fail([.unavailable])
        _ = try await fixture.request()
        fixture.identity.time.advance(by: .seconds(301))
        try await fixture.identity.relay()
        #expect(fixture.identity.texts.texts.isEmpty)
        #expect(fixture.identity.log.lines.contains { $0.contains("outbox.delivery.dead") })
    }

    @Test("I-06: codes are deleted a day after they expired, by no other request")
    func purge() async throws {
        let fixture = try PhoneCodeFixture()
        for last in 0..<3 { _ = try await fixture.request("+491511234567\(last)") }
        fixture.identity.time.advance(by: .seconds(24 * 3_600 + 300))
        try await fixture.identity.purge()
        _ = try await fixture.request("+4915112345679")
        #expect(try await fixture.identity.count("phone_codes") == 4)
        fixture.identity.time.advance(by: .milliseconds(1))
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("phone_codes") == 1)
    }
}
