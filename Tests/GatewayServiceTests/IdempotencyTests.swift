import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@Suite("G-25: a repeated call returns the first response", .timeLimit(.minutes(1)))
struct IdempotencyTests {
    let house: GatewayFixture

    init() async throws { house = try await GatewayFixture() }

    @Test("G-25: a repeated sign-up returns the same account, session and refresh token")
    func signUp() async throws {
        let first = try await house.signUp(in: house.context("k"))
        house.time.advance(by: .seconds(40))
        let second = try await house.signUp(in: house.context("k"))
        #expect(first.account == second.account)
        #expect(first.session.sessionId == second.session.sessionId)
        #expect(first.session.refreshToken == second.session.refreshToken)
        #expect(try await house.check(second.session.accessToken).authenticated)
        #expect(try await house.inner.count(house.inner.sessionStore, "session") == 1)
        #expect(try await house.inner.mails().count == 1)
        _ = try await house.refresh(first.session.refreshToken)
    }

    @Test("G-25: repeats of one sign-up are free; another email under the same key is not")
    func signUpIsChargedOnce() async throws {
        for _ in 0...4 { _ = try await house.signUp(in: house.context("k")) }
        _ = try await house.signUp("b@example.org", in: house.context("l"))
        _ = try await house.signUp("c@example.org", in: house.context("m"))
        await #expect(throws: ServiceError.self) {
            _ = try await house.signUp("d@example.org", in: house.context("k"))
        }
    }

    @Test("G-25: a repeated sign-in returns the same session and the same last sign-in")
    func signIn() async throws {
        _ = try await house.signUp()
        house.time.advance(by: .seconds(5))
        let first = try await house.signIn(in: house.context("k"))
        house.time.advance(by: .seconds(5))
        let second = try await house.signIn(in: house.context("k"))
        #expect(first.account == second.account)
        #expect(first.session.sessionId == second.session.sessionId)
        #expect(first.session.refreshToken == second.session.refreshToken)
    }

    @Test("G-25: a repeated refresh returns the same child and is no replay")
    func refresh() async throws {
        let ada = try await house.signUp()
        let first = try await house.refresh(ada.session.refreshToken, in: house.context("k"))
        let second = try await house.refresh(ada.session.refreshToken, in: house.context("k"))
        #expect(first.refreshToken == second.refreshToken)
        _ = try await house.refresh(first.refreshToken)
    }

    @Test("G-25: a repeated verification returns the same account")
    func verify() async throws {
        let ada = try await house.signUp()
        let token = try await house.inner.linkToken()
        for _ in 0..<2 {
            let account = try await house.verify(
                token, accessToken: ada.session.accessToken, in: house.context("k"))
            #expect(account.emailVerified)
        }
    }

    @Test("G-25: a stolen idempotency key is useless without the password")
    func captured() async throws {
        _ = try await house.signUp(in: house.context("k"))
        let error = try await refusal {
            try await house.signUp(password: "Guessed7Horse", in: house.context("k"))
        }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("G-25: one user's key gives another user no session")
    func otherPerson() async throws {
        _ = try await house.signUp()
        _ = try await house.signUp("eve@example.org")
        _ = try await house.signIn(in: house.context("k"))
        let error = try await refusal {
            try await house.signIn("eve@example.org", in: house.context("k"))
        }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("G-25: the same key of two applications, or in two flows, is two keys")
    func apart() async throws {
        let ada = try await house.signUp(in: house.context("k"))
        let one = try await house.signIn(in: house.context("k"))
        let two = try await house.signIn(in: house.context("k", application: "other"))
        #expect(
            Set([ada, one, two].map(\.session.sessionId)).count == 3)
        // If they were joined without their lengths, these would be one key.
        let flow = "SignInWithPassword"
        let three = try await house.signIn(
            in: house.context("b/\(flow)/c", application: "a"))
        let four = try await house.signIn(
            in: house.context("c", application: "a/\(flow)/b"))
        #expect(three.session.sessionId != four.session.sessionId)
    }

    @Test("G-25: keys have 1 to 255 bytes", arguments: [1, 255])
    func taken(count: Int) async throws {
        let key = String(repeating: "k", count: count)
        let first = try await house.signUp(in: house.context(key))
        let second = try await house.signUp(in: house.context(key))
        #expect(first.session.sessionId == second.session.sessionId)
    }

    @Test(
        "G-25: every flow rejects keys of other lengths and does nothing else", arguments: [0, 256])
    func refused(count: Int) async throws {
        let context = house.context(String(repeating: "k", count: count))
        let expected = ServiceError(.invalidArgument, fields: ["idempotency-key"])
        #expect(try await refusal { try await house.signUp(in: context) } == expected)
        #expect(try await refusal { try await house.signIn(in: context) } == expected)
        #expect(try await refusal { try await house.refresh("x", in: context) } == expected)
        #expect(try await refusal { try await house.verify("x", in: context) } == expected)
        #expect(try await house.inner.count(house.inner.identityStore, "audit") == 0)
        #expect(try house.inner.left("sign-up-by-address", "192.0.2.7") == 3)
    }

    @Test("G-25: a key can have any bytes: one that is not UTF-8 is used unchanged")
    func bytes() async throws {
        let context = CallContext(
            application: "app", deadline: house.time.uptime() + .seconds(10),
            metadata: Metadata([
                .init(key: Metadata.Key.idempotencyKey, value: [0xff, 0x00, 0xfe])
            ]))
        let first = try await house.signUp(in: context)
        let second = try await house.signUp(in: context)
        #expect(first.session.refreshToken == second.session.refreshToken)
    }
}
