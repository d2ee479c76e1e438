import Addresses
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Signing in with a phone code (G-06, I-06, R-02).
struct SignInWithCodeTests {
    @Test("G-06: an unknown number creates an account, which the number then signs in to")
    func signsIn() async throws {
        let fixture = try PhoneCodeFixture()
        let first = try await fixture.signIn(try await fixture.sent())
        #expect(first.isNewUser)
        #expect(first.proof?.amr == ["sms", "otp"])
        let account = try #require(first.account)
        #expect(account.phoneNumber == PhoneCodeFixture.number)
        #expect(account.methods == ["phone"])
        #expect(account.email.isEmpty && !account.isGuest)
        fixture.identity.time.advance(by: .seconds(60))
        // Recovery is the same call. The number may be written in another format.
        let sent = try await fixture.sent("+49 (151) 123-456.78")
        let again = try await fixture.signIn(sent, "+49 151 12345678")
        #expect(!again.isNewUser)
        #expect(again.account?.accountId == account.accountId)
        #expect(try await fixture.identity.count("accounts") == 1)
    }

    /// Attack: the page that deletes accounts makes one for each number.
    @Test("G-32: with existing_only no account comes to be, and the answer is that of a wrong code")
    func existingOnly() async throws {
        let fixture = try PhoneCodeFixture()
        func signIn(
            _ sent: SentCode, guest: String? = nil
        ) async throws -> IdentityV1.AdmissionResponse {
            try await fixture.phones.signInWithCode(
                .init(
                    requestId: sent.request, phoneNumber: PhoneCodeFixture.number, code: sent.code,
                    device: IdentityFixture.device, existingOnly: true),
                fixture.identity.relayed(guest))
        }
        let sent = try await fixture.sent()
        for _ in 0..<2 {
            let refused = try await refusal { try await signIn(sent) }
            #expect(refused.code == .invalidCode)
            #expect(refused.fields == ["request_id"], "it is no guess at a live code")
        }
        #expect(try await fixture.identity.count("accounts") == 0)
        fixture.identity.time.advance(by: .seconds(60))
        let account = try await fixture.account()
        fixture.identity.time.advance(by: .seconds(60))
        let again = try await signIn(try await fixture.sent())
        #expect(again.account?.accountId == account.accountId && !again.isNewUser)
    }

    @Test("I-05: a number signs in to the account that is stored with its trunk prefix")
    func formerText() async throws {
        let fixture = try PhoneCodeFixture()
        let former = "+49015112345678"
        let owner = try await fixture.identity.signIn(PhoneIdentity.proved(former))
        let error = try await refusal { try await fixture.request(former) }
        #expect(error == .invalidPhoneNumber(.trunkPrefix))
        let sent = try await fixture.sent()
        let answer = try await fixture.signIn(sent, key: "k1")
        #expect(!answer.isNewUser)
        #expect(answer.account?.accountId == owner.account?.accountId)
        #expect(answer.account?.phoneNumber == former)
        let again = try await fixture.signIn(sent, key: "k1")
        #expect(again.account?.accountId == owner.account?.accountId)
        #expect(try await fixture.identity.count("accounts") == 1)
    }

    @Test("I-05: of two accounts of one phone, the number signs in to the one that has it as it is")
    func bothTexts() async throws {
        let fixture = try PhoneCodeFixture()
        let former = PhoneIdentity.proved("+49015112345678")
        let current = PhoneIdentity.proved(PhoneCodeFixture.number)
        let other = try await fixture.identity.signIn(former).account
        let owner = try await fixture.identity.signIn(current).account
        #expect(owner?.accountId != other?.accountId)
        #expect(try await fixture.account().accountId == owner?.accountId)
    }

    @Test("X-02: unknown requests, other numbers and wrong codes give the same error code")
    func wrong() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let foreign = try await fixture.sent("+4915112345679")
        let unknown = PhoneCodeID.drawn(from: SeededRandomness(seed: 99)).text
        let errors = [
            try await refusal { try await fixture.signIn(sent.wrong) },
            try await refusal { try await fixture.signIn(sent.with("12345")) },
            try await refusal { try await fixture.signIn(sent.with("")) },
            try await refusal { try await fixture.signIn(foreign) },
            try await refusal { try await fixture.signIn(sent, "+4915112345679") },
            try await refusal {
                try await fixture.signIn(SentCode(request: unknown, code: sent.code))
            },
            try await refusal { try await fixture.signIn(SentCode(request: "", code: sent.code)) },
            try await refusal {
                try await fixture.signIn(SentCode(request: "pcr_x", code: sent.code))
            },
        ]
        for error in errors { #expect(error.code == .invalidCode) }
        // Only the gateway sees from the fields whether a live code of the number was compared, so
        // that the guess counts against the number. It does not pass the fields on.
        let compared = [true, true, true] + [Bool](repeating: false, count: 5)
        #expect(errors.map { $0.fields == ["code"] } == compared)
        #expect(errors.map { $0.fields == ["request_id"] } == compared.map { !$0 })
        #expect(try await fixture.identity.count("accounts") == 0)
        // Guesses for other requests and numbers have not used up this code.
        #expect(try await fixture.signIn(sent).isNewUser)
    }

    @Test("I-06: a code expires after five minutes, and is valid one millisecond earlier")
    func expiry() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let other = try await fixture.sent("+4915112345679")
        let age = fixture.identity.time.now()
        fixture.identity.time.advance(by: .milliseconds(299_999))
        #expect(try await fixture.signIn(sent).isNewUser)
        fixture.identity.time.advance(by: .milliseconds(1))
        #expect(fixture.identity.time.now() - age == .seconds(300))
        let error = try await refusal { try await fixture.signIn(other, "+4915112345679") }
        #expect(error == ServiceError(.codeExpired, fields: ["code"]))
    }

    @Test("R-02: after five wrong guesses the right code is refused")
    func guesses() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        for _ in 0..<5 {
            #expect(try await refusal { try await fixture.signIn(sent.wrong) }.code == .invalidCode)
        }
        #expect(try await refusal { try await fixture.signIn(sent) }.code == .invalidCode)
        let refused = try await fixture.audit().filter { $0 == "phone-code.refused" }
        #expect(refused.count == 5)
        // A used-up code is not compared. Such guesses are only counted.
        #expect(
            try await fixture.identity.count("refusal_count", where: "kind = 'phone-code.refused'")
                == 1)
        // Another request has a code of its own.
        #expect(try await fixture.signIn(try await fixture.sent()).isNewUser)
    }

    @Test("R-02: after four wrong guesses the right code is accepted")
    func almost() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        for _ in 0..<4 { _ = try await refusal { try await fixture.signIn(sent.wrong) } }
        #expect(try await fixture.signIn(sent).isNewUser)
    }

    @Test("R-02: of 200 parallel wrong guesses five are compared; then the right code fails")
    func parallelGuesses() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn(sent.wrong)
                        return nil
                    } catch let error as ServiceError {
                        return error.code
                    } catch {
                        return .internalError
                    }
                }
            }
            var codes: [ErrorCode?] = []
            for await code in group { codes.append(code) }
            return codes
        }
        #expect(codes.count == 200 && codes.allSatisfy { $0 == .invalidCode })
        #expect(try await fixture.identity.count("phone_codes", where: "evaluated = 5") == 1)
        #expect(try await refusal { try await fixture.signIn(sent) }.code == .invalidCode)
    }

    @Test("I-06: a code works once, even when it is used in parallel")
    func once() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn(sent)
                        return true
                    } catch {
                        return false
                    }
                }
            }
            var taken = 0
            for await isTaken in group where isTaken { taken += 1 }
            return taken
        }
        #expect(taken == 1)
        #expect(try await refusal { try await fixture.signIn(sent) }.code == .invalidCode)
        #expect(try await fixture.identity.count("identities") == 1)
    }

    @Test("I-06: a code for one purpose is refused for every other")
    func purposes() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let token = fixture.identity.devices.open(account.accountId)
        let linking = try await fixture.sent("+4915112345679", .link, accessToken: token)
        let proving = try await fixture.sent(PhoneCodeFixture.number, .prove, accessToken: token)
        let signing = try await fixture.sent()
        let number = "+4915112345679"
        let codes = [
            try await refusal { try await fixture.signIn(linking, number) },
            try await refusal { try await fixture.signIn(proving) },
            try await refusal { try await fixture.prove(signing, token) },
            try await refusal { try await fixture.prove(linking, token, number) },
            try await refusal { try await fixture.link(signing, token) },
            try await refusal { try await fixture.link(proving, token) },
        ].map(\.code)
        #expect(codes.allSatisfy { $0 == .invalidCode })
        #expect(try await fixture.signIn(signing).account?.accountId == account.accountId)
    }

    @Test("G-25: a repeat gets the first answer, even after the code has expired")
    func repeats() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let first = try await fixture.signIn(sent, key: "k1")
        _ = try await fixture.sent()
        fixture.identity.time.advance(by: .seconds(3_600))
        let again = try await fixture.signIn(sent, key: "k1")
        #expect(again.account?.accountId == first.account?.accountId)
        #expect(again.isNewUser)
        #expect(again.proof?.authTimeMs == first.proof?.authTimeMs, "it proves nothing recent")
        // The idempotency key alone opens nothing.
        let wrong = try await refusal { try await fixture.signIn(sent.wrong, key: "k1") }
        #expect(wrong.code == .invalidCode)
        let other = try await fixture.sent("+4915112345679")
        let reused = try await refusal {
            try await fixture.signIn(other, "+4915112345679", key: "k1")
        }
        #expect(reused.code == .idempotencyKeyReused)
    }

    @Test("G-25: a crash between checking a code and signing in does not use the code up")
    func crash() async throws {
        let fixture = try PhoneCodeFixture()
        let sent = try await fixture.sent()
        let number = try #require(PhoneNumber(PhoneCodeFixture.number))
        let guess = PhoneCodeGuess(
            request: PhoneCodeID(text: sent.request), purpose: .signIn, owner: nil,
            number: number, numberKey: fixture.identity.keys.lookUpKey(of: number),
            code: PhoneCode(typed: sent.code), origin: .unknown)
        for _ in 0..<10 {
            try await fixture.phones.require(guess, nil)
        }
        #expect(try await fixture.signIn(sent).isNewUser)
    }

    @Test("G-07: a guest who signs in with an unknown number is upgraded in place")
    func guest() async throws {
        let fixture = try PhoneCodeFixture()
        let guest = try #require(
            try await fixture.identity.identities.signInAsGuest(
                .init(device: IdentityFixture.device), fixture.identity.context()
            ).account)
        let token = fixture.identity.devices.open(guest.accountId, amr: ["anon"])
        let answer = try await fixture.signIn(try await fixture.sent(), guest: token)
        #expect(answer.isUpgraded && answer.isNewUser)
        #expect(answer.account?.accountId == guest.accountId)
        #expect(answer.account?.phoneNumber == PhoneCodeFixture.number)
    }

    @Test("G-07: a guest whose number belongs to another account gets both accounts in the answer")
    func collision() async throws {
        let fixture = try PhoneCodeFixture()
        let account = try await fixture.account()
        let guest = try await fixture.identity.guestWithDocument()
        let answer = try await fixture.signIn(try await fixture.sent(), guest: guest.token)
        #expect(answer.account?.accountId == account.accountId)
        #expect(answer.collision?.guest?.accountId == guest.account)
        #expect(answer.collision?.choice == .discard)
    }

    @Test("G-25: a code's key in the name of another guest is another request")
    func otherGuest() async throws {
        let fixture = try PhoneCodeFixture()
        let guest = try await fixture.identity.guest()
        let other = try await fixture.identity.guest()
        let sent = try await fixture.sent()
        let first = try await fixture.signIn(sent, guest: guest.token, key: "k")
        let error = try await refusal {
            try await fixture.signIn(sent, guest: other.token, key: "k")
        }
        #expect(error.code == .idempotencyKeyReused)
        fixture.identity.devices.end(guest.token)
        let again = try await fixture.signIn(sent, guest: guest.token, key: "k")
        #expect(again.isUpgraded && again.account == first.account)
    }

    @Test("X-02: only a caller with the right code learns that an account is disabled")
    func disabled() async throws {
        let fixture = try PhoneCodeFixture()
        _ = try await fixture.account()
        try await fixture.identity.change("UPDATE accounts SET status = 2")
        let sent = try await fixture.sent()
        #expect(try await refusal { try await fixture.signIn(sent.wrong) }.code == .invalidCode)
        #expect(try await refusal { try await fixture.signIn(sent) }.code == .accountDisabled)
    }
}
