import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@Suite("G-25: a repeated call returns the first response", .timeLimit(.minutes(1)))
struct IdempotencyTests {
    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    @Test("G-25: a repeated sign-up returns the same account, session and refresh token")
    func signUp() async throws {
        let first = try await fixture.signUp(in: fixture.context("k"))
        fixture.time.advance(by: .seconds(40))
        let second = try await fixture.signUp(in: fixture.context("k"))
        #expect(first.account == second.account)
        #expect(first.session.sessionId == second.session.sessionId)
        #expect(first.session.refreshToken == second.session.refreshToken)
        #expect(try await fixture.check(second.session.accessToken).authenticated)
        #expect(try await fixture.inner.count(fixture.inner.sessionStore, "session") == 1)
        #expect(try await fixture.inner.mails().count == 1)
        _ = try await fixture.refresh(first.session.refreshToken)
    }

    @Test("G-25: repeats of one sign-up are free; another email under the same key is not")
    func signUpIsChargedOnce() async throws {
        for _ in 0...4 { _ = try await fixture.signUp(in: fixture.context("k")) }
        _ = try await fixture.signUp("b@example.org", in: fixture.context("l"))
        _ = try await fixture.signUp("c@example.org", in: fixture.context("m"))
        await #expect(throws: ServiceError.self) {
            _ = try await fixture.signUp("d@example.org", in: fixture.context("k"))
        }
    }

    @Test("G-25: a repeated sign-in returns the same session and the same last sign-in")
    func signIn() async throws {
        _ = try await fixture.signUp()
        fixture.time.advance(by: .seconds(5))
        let first = try await fixture.signIn(in: fixture.context("k"))
        fixture.time.advance(by: .seconds(5))
        let second = try await fixture.signIn(in: fixture.context("k"))
        #expect(first.account == second.account)
        #expect(first.session.sessionId == second.session.sessionId)
        #expect(first.session.refreshToken == second.session.refreshToken)
    }

    @Test("G-25: a repeated refresh returns the same child and is no replay")
    func refresh() async throws {
        let ada = try await fixture.signUp()
        let first = try await fixture.refresh(ada.session.refreshToken, in: fixture.context("k"))
        let second = try await fixture.refresh(ada.session.refreshToken, in: fixture.context("k"))
        #expect(first.refreshToken == second.refreshToken)
        _ = try await fixture.refresh(first.refreshToken)
    }

    @Test("G-25: a repeated verification returns the same account")
    func verify() async throws {
        let ada = try await fixture.signUp()
        let token = try await fixture.inner.linkToken()
        for _ in 0..<2 {
            let account = try await fixture.verify(
                token, accessToken: ada.session.accessToken, in: fixture.context("k"))
            #expect(account.emailVerified)
        }
    }

    @Test("G-25: a stolen idempotency key is useless without the password")
    func captured() async throws {
        _ = try await fixture.signUp(in: fixture.context("k"))
        let error = try await refusal {
            try await fixture.signUp(password: "Guessed7Horse", in: fixture.context("k"))
        }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("G-25: one user's key gives another user no session")
    func otherPerson() async throws {
        _ = try await fixture.signUp()
        _ = try await fixture.signUp("eve@example.org")
        _ = try await fixture.signIn(in: fixture.context("k"))
        let error = try await refusal {
            try await fixture.signIn("eve@example.org", in: fixture.context("k"))
        }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("G-25: the same key of two applications, or in two flows, is two keys")
    func apart() async throws {
        let ada = try await fixture.signUp(in: fixture.context("k"))
        let one = try await fixture.signIn(in: fixture.context("k"))
        let two = try await fixture.signIn(in: fixture.context("k", application: "other"))
        #expect(
            Set([ada, one, two].map(\.session.sessionId)).count == 3)
        // If they were joined without their lengths, these would be one key.
        let flow = "SignInWithPassword"
        let three = try await fixture.signIn(
            in: fixture.context("b/\(flow)/c", application: "a"))
        let four = try await fixture.signIn(
            in: fixture.context("c", application: "a/\(flow)/b"))
        #expect(three.session.sessionId != four.session.sessionId)
    }

    @Test("G-25: keys have 1 to 255 bytes", arguments: [1, 255])
    func taken(count: Int) async throws {
        let key = String(repeating: "k", count: count)
        let first = try await fixture.signUp(in: fixture.context(key))
        let second = try await fixture.signUp(in: fixture.context(key))
        #expect(first.session.sessionId == second.session.sessionId)
    }

    @Test(
        "G-25: every flow rejects keys of other lengths and does nothing else", arguments: [0, 256])
    func refused(count: Int) async throws {
        let context = fixture.context(String(repeating: "k", count: count))
        let expected = ServiceError.invalidArgument("idempotency-key", "Use 1 to 255 bytes.")
        #expect(try await refusal { try await fixture.signUp(in: context) } == expected)
        #expect(try await refusal { try await fixture.signIn(in: context) } == expected)
        #expect(try await refusal { try await fixture.refresh("x", in: context) } == expected)
        #expect(try await refusal { try await fixture.verify("x", in: context) } == expected)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "audit") == 0)
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 3)
    }

    @Test("G-25: a key can have any bytes: one that is not UTF-8 is used unchanged")
    func bytes() async throws {
        let context = CallContext(
            application: "app", deadline: fixture.time.uptime() + .seconds(10),
            metadata: Metadata([
                .init(key: Metadata.Key.idempotencyKey, value: [0xff, 0x00, 0xfe])
            ]))
        let first = try await fixture.signUp(in: context)
        let second = try await fixture.signUp(in: context)
        #expect(first.session.refreshToken == second.session.refreshToken)
    }
}
