import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@Suite("N-01: an owner disowns a sign-in through the gateway", .timeLimit(.minutes(1)))
struct DisownSignInTests {
    let fixture: GatewayFixture
    let ada: SignedIn
    let thief: SignedIn
    /// Of the link in the mail about the thief's sign-in.
    let token: String

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: ada.session.accessToken)
        thief = try await fixture.signIn(device: "thief")
        token = try await fixture.inner.linkToken(page: "not-me")
    }

    private func disown(_ token: String? = nil, key: String? = nil) async throws {
        _ = try await fixture.auth.disownSignIn(
            .init(token: .init(text: token ?? self.token)), fixture.context(key))
    }

    /// Fills the limit on failures from unknown devices.
    private func siege() async throws {
        for number in 0..<5 {
            _ = try await refusal {
                try await fixture.signIn(
                    password: "Wrong7Horse", device: "stranger",
                    in: fixture.context(address: "198.51.100.\(number)"))
            }
        }
    }

    private func guess(on device: String) async throws -> ErrorCode {
        try await refusal {
            try await fixture.signIn(password: "Guess8Horses", device: device)
        }.code
    }

    @Test("G-09: all sessions end, and the password opens nothing; a reset opens one again")
    func sessions() async throws {
        try await disown()
        try await fixture.inner.settle()
        for session in [ada.session, thief.session] {
            #expect(try await fixture.check(session.accessToken).reason == .security)
            let refresh = try await refusal { try await fixture.refresh(session.refreshToken) }
            #expect(refresh.code == .sessionEnded)
        }
        let stolen = try await refusal { try await fixture.signIn(device: "thief") }
        let wrong = try await refusal {
            try await fixture.signIn(password: "Wrong7Horse", device: "thief")
        }
        #expect(stolen.code == .invalidCredential && stolen == wrong)
        let reset = try await fixture.passwords.resetPassword(
            .init(
                token: try await fixture.inner.linkToken(page: "reset-password"),
                password: "Owners9Password", device: GatewayFixture.device("d1")),
            fixture.context())
        #expect(reset.account?.accountId == ada.account.accountId)
        let session = try #require(reset.session)
        try await fixture.inner.settle()
        #expect(try await fixture.check(session.accessToken).authenticated)
    }

    @Test("R-03: the limiter knows no device any more, so a thief's has no limit of its own")
    func devices() async throws {
        try await siege()
        #expect(try await guess(on: "thief") == .invalidCredential, "known")
        #expect(try await guess(on: "d1") == .invalidCredential, "known")
        // Marks of the same millisecond would count as later ones.
        fixture.time.advance(by: .milliseconds(1))
        try await disown()
        #expect(try await guess(on: "thief") == .tooManyRequests)
        #expect(try await guess(on: "d1") == .tooManyRequests)
    }

    @Test("R-03: it is charged to the address, once with its repeats; a link that fails is not")
    func charged() async throws {
        func left() throws -> UInt32 {
            try fixture.inner.left("password-reset-by-address", "192.0.2.7")
        }
        let before = try left()
        let used = try await fixture.inner.linkToken()
        for wrong in ["x", used] {
            #expect(try await refusal { try await disown(wrong) }.code == .invalidLink)
        }
        #expect(try left() == before)
        for _ in 0..<3 { try await disown(key: "k") }
        #expect(try left() == before - 1)
        #expect(try await refusal { try await disown() }.code == .invalidLink)
        #expect(try left() == before - 1)
    }
}
