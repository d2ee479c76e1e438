import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-06: a user signs in with a code sent to a phone", .timeLimit(.minutes(2)))
struct PhoneSignInTests {
    private static let limiterIsAway = ServiceError(
        .unavailable, unavailablePart: "rate-limit")

    @Test("G-06: a code creates an account; the same number signs in to it later")
    func signsIn() async throws {
        let fixture = try await GatewayFixture()
        let requested = try await fixture.requestCode("+49 151 12345678")
        #expect(requested.attempt == 1)
        #expect(requested.nextAfterMs == 60_000)
        #expect(requested.expiresAtMs == fixture.time.now().milliseconds + 300_000)
        let code = try await fixture.inner.phoneCode(to: GatewayFixture.number)
        let first = try await fixture.signInByCode(requested.requestId, code)
        #expect(first.isNewUser && !first.isUpgraded && first.collision == nil)
        let session = try #require(first.session)
        #expect(try await fixture.check(session.accessToken).authenticated)
        let sent = try await fixture.sentCode()
        let again = try await fixture.signInByCode(sent.request, sent.code)
        #expect(!again.isNewUser)
        #expect(again.account?.accountId == first.account?.accountId)
        #expect(again.account?.phoneNumber == GatewayFixture.number)
    }

    @Test("R-01: requests wait 0, 1, 5, 15 and 30 minutes, with a text in the requested language")
    func ladder() async throws {
        let fixture = try await GatewayFixture()
        let waits: [Int64] = [60, 300, 900, 1_800, 1_800]
        for (place, wait) in waits.enumerated() {
            let requested = try await fixture.requestCode()
            #expect(requested.attempt == UInt32(place + 1))
            #expect(requested.nextAfterMs == wait * 1_000)
            fixture.time.advance(by: .seconds(wait) - .milliseconds(1))
            let error = try await refusal {
                try await fixture.requestCode(in: fixture.context(language: "de"))
            }
            #expect(error.code == .tooManyRequests)
            #expect(error.retryAfter == .milliseconds(1))
            #expect(error.sentence?.hasPrefix("Bitte warte ") == true)
            fixture.time.advance(by: .milliseconds(1))
        }
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "phone_codes") == 5)
    }

    @Test("R-01: all spellings of a number share one wait; another number does not wait")
    func spellings() async throws {
        let fixture = try await GatewayFixture()
        _ = try await fixture.requestCode("+49 151 12345678")
        for text in ["+4915112345678", "+49-151-12345678", "(+49) 151 123.456.78"] {
            let error = try await refusal { try await fixture.requestCode(text) }
            #expect(error.code == .tooManyRequests)
        }
        #expect(try await fixture.requestCode("+4915112345679").attempt == 1)
    }

    @Test("R-01: signing in with a code resets the wait for the next one")
    func reset() async throws {
        let fixture = try await GatewayFixture()
        // Delivered before the next one is requested. Otherwise either could arrive last.
        _ = try await fixture.sentCode()
        fixture.time.advance(by: .seconds(60))
        let sent = try await fixture.sentCode()
        _ = try await fixture.signInByCode(sent.request, sent.code)
        let next = try await fixture.requestCode()
        #expect(next.attempt == 1)
        #expect(next.nextAfterMs == 60_000)
    }

    @Test("R-01: a request rejected before anything is sent is not charged")
    func refused() async throws {
        let fixture = try await GatewayFixture()
        #expect(
            try await refusal { try await fixture.requestCode("+33612345678") }.code
                == .phoneCountryNotAllowed)
        #expect(
            try await refusal { try await fixture.requestCode("+33612345678") }.code
                == .phoneCountryNotAllowed)
        #expect(
            try await refusal { try await fixture.requestCode("0151 12345678") }.code
                == .invalidPhoneNumber)
        #expect(
            try await refusal { try await fixture.requestCode("+49 0151 12345678") }
                == .invalidPhoneNumber(.trunkPrefix))
        let purpose = try await refusal {
            try await fixture.requestCode(GatewayFixture.number, .link)
        }
        #expect(purpose.code == .invalidAccessToken)
        #expect(try await fixture.requestCode().attempt == 1)
    }

    @Test("R-02: after five wrong codes the number waits 15 minutes, also for the right code")
    func guesses() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        let wrong = sent.code == "000000" ? "000001" : "000000"
        for _ in 0..<5 {
            #expect(
                try await refusal { try await fixture.signInByCode(sent.request, wrong) }.code
                    == .invalidCode)
        }
        let locked = try await refusal { try await fixture.signInByCode(sent.request, sent.code) }
        #expect(locked.code == .tooManyRequests)
        #expect(locked.retryAfter == .seconds(900))
        #expect(locked.sentence == "Too many incorrect codes. Please wait 15 minutes.")
        fixture.time.advance(by: .seconds(900))
        let fresh = try await fixture.sentCode()
        #expect(try await fixture.signInByCode(fresh.request, fresh.code).isNewUser)
    }

    @Test("R-02: of 200 parallel wrong codes five are evaluated; then the right one is rejected")
    func parallelGuesses() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        let wrong = sent.code == "000000" ? "000001" : "000000"
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        _ = try await fixture.signInByCode(sent.request, wrong)
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
        #expect(codes.count { $0 == .invalidCode } == 5)
        #expect(codes.count { $0 == .tooManyRequests } == 195)
        let evaluated = try await fixture.inner.count(
            fixture.inner.identityStore, "phone_codes", where: "evaluated = 5")
        #expect(evaluated == 1)
        // Rejected by the limiter now, and by the code's own count after the wait.
        let right = try await refusal { try await fixture.signInByCode(sent.request, sent.code) }
        #expect(right.code == .tooManyRequests)
    }

    @Test("R-02: an expired code and a right code are not charged as guesses")
    func refunds() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        fixture.time.advance(by: .seconds(300))
        for _ in 0..<10 {
            let error = try await refusal {
                try await fixture.signInByCode(sent.request, sent.code)
            }
            #expect(error.code == .codeExpired)
        }
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 5)
        let fresh = try await fixture.sentCode()
        _ = try await fixture.signInByCode(fresh.request, fresh.code)
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 5)
    }

    @Test("X-02: a number with an account and one without get the same responses")
    func enumeration() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        _ = try await fixture.signInByCode(sent.request, sent.code)
        let known = try await fixture.requestCode()
        let unknown = try await fixture.requestCode("+4915112345679")
        #expect(known.requestId.utf8.count == unknown.requestId.utf8.count)
        #expect(known.expiresAtMs == unknown.expiresAtMs)
        #expect(known.attempt == unknown.attempt && known.nextAfterMs == unknown.nextAfterMs)
        let codes = [
            try await refusal { try await fixture.signInByCode(known.requestId, "00000x") },
            try await refusal {
                try await fixture.signInByCode(unknown.requestId, "00000x", "+4915112345679")
            },
        ]
        #expect(codes[0] == codes[1])
    }

    @Test("G-25: a repeated request sends one message and returns the same response")
    func repeats() async throws {
        let fixture = try await GatewayFixture()
        let first = try await fixture.requestCode(in: fixture.context("k1"))
        let again = try await fixture.requestCode(in: fixture.context("k1"))
        #expect(first == again)
        #expect(try await fixture.inner.mails(to: GatewayFixture.number).count == 1)
    }

    @Test("G-25: a repeated sign-in returns the same session")
    func repeatedSignIn() async throws {
        let fixture = try await GatewayFixture()
        let sent = try await fixture.sentCode()
        let first = try await fixture.signInByCode(
            sent.request, sent.code, in: fixture.context("k1"))
        let again = try await fixture.signInByCode(
            sent.request, sent.code, in: fixture.context("k1"))
        #expect(first.account?.accountId == again.account?.accountId && again.isNewUser)
        #expect(first.session?.refreshToken == again.session?.refreshToken)
    }

    @Test("G-06: test numbers are sent nothing and use up no limit")
    func tests() async throws {
        let test = "+15555550100"
        let fixture = try await GatewayFixture(
            phone: PhoneSettings(testNumbers: ["\(test)=123456 until 2099-12-31"]))
        for _ in 0..<20 {
            let requested = try await fixture.requestCode(test)
            let answer = try await fixture.signInByCode(requested.requestId, "123456", test)
            #expect(answer.account?.phoneNumber == test)
        }
        #expect(try fixture.inner.left("phone-code-by-block", test) == 30)
        #expect(try fixture.inner.left("phone-code-by-address", "192.0.2.7") == 20)
        #expect(try await fixture.inner.mails(to: test).isEmpty)
    }

    @Test("R-07: without the limiter no code is sent and none is evaluated")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        #expect(try await refusal { try await fixture.requestCode() } == Self.limiterIsAway)
        #expect(
            try await refusal { try await fixture.signInByCode("pcr_x", "123456") }
                == Self.limiterIsAway)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "phone_codes") == 0)
    }

    @Test("G-14: a number linked to an account signs in to it")
    func links() async throws {
        let fixture = try await GatewayFixture()
        let person = try await fixture.signUp()
        let token = person.session.accessToken
        let sent = try await fixture.sentCode(GatewayFixture.number, .link, accessToken: token)
        let linked = try await fixture.phone.linkPhone(
            .init(
                requestId: sent.request, phoneNumber: GatewayFixture.number,
                code: sent.code, device: .init(deviceId: "d1", platform: "cli")),
            fixture.context().bearing(token))
        #expect(linked.account?.phoneNumber == GatewayFixture.number)
        let code = try await fixture.sentCode()
        let answer = try await fixture.signInByCode(code.request, code.code)
        #expect(answer.account?.accountId == person.account.accountId)
    }

    @Test("A-06: the charge of a code to a changed number is held until the second proof is there")
    func changed() async throws {
        let fixture = try await GatewayFixture()
        let person = try await fixture.signUp()
        let token = person.session.accessToken
        let sent = try await fixture.sentCode(GatewayFixture.number, .link, accessToken: token)
        _ = try await fixture.phone.linkPhone(
            .init(
                requestId: sent.request, phoneNumber: GatewayFixture.number,
                code: sent.code), fixture.context().bearing(token))
        try await fixture.changeNumber()
        let code = try await fixture.sentCode()
        func left() throws -> [UInt32] {
            [
                try fixture.inner.left("phone-code-guess", GatewayFixture.number),
                try fixture.inner.left("phone-code-guess-by-address", "192.0.2.7"),
            ]
        }
        let error = try await refusal { try await fixture.signInByCode(code.request, code.code) }
        #expect(error.code == .secondProofRequired && error.alternatives == ["password"])
        #expect(try left() == [4, 49])
        // The code is used up, so another guess is compared with none.
        let again = try await refusal { try await fixture.signInByCode(code.request, code.code) }
        #expect(again.code == .invalidCode)
        #expect(try left() == [4, 48])
        let answer = try await fixture.completeSignIn(
            try #require(error.secondProof), .password("Correct7Horse"))
        #expect(answer.account?.accountId == person.account.accountId)
        #expect(try left() == [5, 49])
    }
}
