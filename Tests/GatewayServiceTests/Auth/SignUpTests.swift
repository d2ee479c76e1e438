import Contracts
import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-02: a user signs up with email and password", .timeLimit(.minutes(1)))
struct SignUpTests {
    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    @Test("G-02: a sign-up returns account and session, and sends the mail with the link")
    func answers() async throws {
        let ada = try await fixture.signUp("Ada@Example.org")
        #expect(ada.account.accountId.hasPrefix("acc_"))
        #expect(ada.account.email == "Ada@Example.org")
        #expect(!ada.account.emailVerified)
        #expect(ada.account.displayName == "Ada")
        #expect(ada.session.sessionId.hasPrefix("ses_"))
        #expect(ada.session.accessExpiresAtMs > fixture.time.now().milliseconds)
        #expect(!ada.session.refreshToken.isEmpty)
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
        #expect(try await fixture.inner.mails(to: "Ada@example.org").count == 1)
    }

    @Test("G-02: a sign-up with a live session is rejected; nothing is created or charged")
    func alreadySignedIn() async throws {
        let ada = try await fixture.signUp()
        let error = try await refusal {
            try await fixture.signUp("eve@example.org", accessToken: ada.session.accessToken)
        }
        #expect(error.code == .alreadySignedIn)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 1)
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 2)
    }

    @Test(
        "G-02: after an ended session or an invalid token the app drops it and signs up",
        arguments: [true, false])
    func signedOut(isOver: Bool) async throws {
        let ada = try await fixture.signUp()
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        let refused = try await refusal {
            try await fixture.signUp(
                "eve@example.org", accessToken: isOver ? ada.session.accessToken : "garbage")
        }
        #expect(refused.code == .sessionEnded)
        _ = try await fixture.signUp("eve@example.org")
    }

    @Test(
        "X-01: an account's language is the first accepted one, unless the request names another",
        arguments: [
            (nil, "", "en"), ("nl", "", "en"), ("nl, fr-CH;q=0.9, de;q=0.8", "", "fr"),
            ("fr", "de", "de"),
        ] as [(String?, String, String)])
    func language(accepted: String?, requested: String, language: String) async throws {
        _ = try await fixture.auth.signUpWithPassword(
            .init(
                email: "ada@example.org", password: "Correct7Horse", mailLanguage: requested),
            fixture.context(language: accepted))
        let rows = try await fixture.inner.count(
            fixture.inner.identityStore, "profiles", where: "language = '\(language)'")
        #expect(rows == 1)
    }

    @Test("X-01: a text that is no language is rejected, and its field is named")
    func noLanguage() async throws {
        for text in ["not a language", "de_DE", "-", "abcdefghi"] {
            let error = try await refusal {
                try await fixture.auth.signUpWithPassword(
                    .init(
                        email: "ada@example.org", password: "Correct7Horse", mailLanguage: text),
                    fixture.context())
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["mail_language"]))
        }
    }

    @Test("R-03: the fourth sign-up in an hour from one address is rejected")
    func fourth() async throws {
        for name in ["a", "b", "c"] {
            _ = try await fixture.signUp("\(name)@example.org")
            fixture.time.advance(by: .seconds(60))
        }
        let error = try await refusal { try await fixture.signUp("d@example.org") }
        #expect(error.code == .tooManyRequests && error.retryAfter == .seconds(3_600 - 180))
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 3)
        fixture.time.advance(by: .seconds(3_600 - 180))
        _ = try await fixture.signUp("d@example.org")
    }

    @Test("R-04: a malformed sign-up charges no limit, however often it is sent")
    func refunded() async throws {
        for _ in 0..<10 {
            let weak = try await refusal { try await fixture.signUp(password: "short") }
            #expect(weak.code == .weakPassword)
            let noEmail = try await refusal { try await fixture.signUp("") }
            #expect(noEmail.code == .invalidArgument && noEmail.fields == ["email"])
            #expect(noEmail.violations.first?.userMessage == "It is absent.")
            let noPassword = try await refusal { try await fixture.signUp(password: "") }
            #expect(noPassword.code == .invalidArgument && noPassword.fields == ["password"])
            let noAddress = try await refusal { try await fixture.signUp("ada@") }
            #expect(noAddress.code == .invalidEmail)
        }
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 3)
        #expect(
            try fixture.inner.left("sign-up-on-taken-email", "192.0.2.7|ada@example.org") == 3)
        _ = try await fixture.signUp()
    }

    @Test("I-02: a new password is charged to its address, also one that is refused")
    func checks() async throws {
        for _ in 0..<59 {
            let weak = try await refusal { try await fixture.signUp(password: "short") }
            #expect(weak.code == .weakPassword)
        }
        _ = try await fixture.signUp()
        let refused = try await refusal { try await fixture.signUp("eve@example.org") }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(60))
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 2, "given back")
        _ = try await fixture.signUp(
            "eve@example.org", in: fixture.context(address: "198.51.100.1"))
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.signUp("bob@example.org")
    }

    @Test("G-02: a device that session would reject creates no account")
    func device() async throws {
        let request = GatewayV1.SignUpWithPasswordRequest(
            email: "ada@example.org", password: "Correct7Horse",
            device: .init(deviceId: "d1", platform: String(repeating: "p", count: 33)))
        let error = try await refusal {
            try await fixture.auth.signUpWithPassword(request, fixture.context())
        }
        #expect(error.code == .invalidArgument && error.fields == ["device.platform"])
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 0)
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 3)
    }

    @Test("G-02: a taken email is reported three times an hour, and sign-ups mail it three times")
    func taken() async throws {
        let ada = try await fixture.signUp()
        let eve = fixture.context(address: "198.51.100.9")
        for _ in 0..<3 {
            let error = try await refusal {
                try await fixture.signUp("ADA@example.org", password: "Other8Password", in: eve)
            }
            #expect(error == ServiceError(.emailAlreadyInUse, fields: ["email"]))
        }
        let error = try await refusal { try await fixture.signUp(in: eve) }
        #expect(error.code == .tooManyRequests && error.retryAfter == .seconds(3_600))
        // The own sign-up's, and those of sign-ups until there are three in the hour.
        #expect(try await fixture.inner.mails().count == 3)
        #expect(try await fixture.signIn().account.accountId == ada.account.accountId)
    }

    @Test("G-02: without user addresses, a taken email is reported three times an hour")
    func takenUnaddressed() async throws {
        _ = try await fixture.signUp()
        let eve = fixture.context(address: nil)
        for _ in 0..<3 {
            let error = try await refusal { try await fixture.signUp(in: eve) }
            #expect(error.code == .emailAlreadyInUse)
        }
        for _ in 0..<10 {
            let error = try await refusal { try await fixture.signUp(in: eve) }
            #expect(error.code == .tooManyRequests)
        }
        // The own sign-up's, and those of sign-ups until there are three in the hour.
        #expect(try await fixture.inner.mails().count == 3)
    }

    @Test("G-02: of 20 parallel sign-ups on a taken email, only three are told")
    func takenParallel() async throws {
        _ = try await fixture.signUp()
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let eve = fixture.context(address: nil)
                    return try? await refusal { try await fixture.signUp(in: eve) }.code
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == .emailAlreadyInUse }.count == 3)
        #expect(codes.filter { $0 == .tooManyRequests }.count == 17)
        // The own sign-up's, and those of sign-ups until there are three in the hour.
        #expect(try await fixture.inner.mails().count == 3)
    }
}
