import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-14: a password is added in a session", .timeLimit(.minutes(1)))
struct LinkPasswordTests {
    private static let new = "Added8Password"

    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    /// An account that signs in with Google alone, and its session.
    private func person(
        _ email: String = "ada@example.org", isVerified: Bool = true
    ) async throws -> (id: String, session: String) {
        let account = try await fixture.account(
            by: .token("g1", email: email, isVerified: isVerified))
        return (account.accountId, signedIn(account.accountId))
    }

    /// A session that was opened by Google.
    private func signedIn(_ account: String) -> String {
        fixture.devices.open(account, amr: Authentication.providerToken.amr)
    }

    @Test("G-14: it signs in from then on; the owner is mailed, and other sessions stay")
    func adds() async throws {
        let ada = try await person()
        let account = try await fixture.linkPassword(Self.new, in: ada.session)
        #expect(account.accountId == ada.id && account.methods == ["password", "google"])
        #expect(try await fixture.signIn(password: Self.new).account?.accountId == ada.id)
        try await fixture.relay()
        let mail = try #require(fixture.mail("method-added"))
        #expect(mail.variables.first { $0.name == "method" }?.value == "password")
        #expect(fixture.sessions.ended.isEmpty)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'identity.linked' AND detail = 'password'") == 1)
    }

    @Test("N-01: \"this was not me\" of the mail removes it, and Google still signs in")
    func disowned() async throws {
        let ada = try await person()
        _ = try await fixture.linkPassword(Self.new, in: ada.session)
        try await fixture.disown(try await fixture.notMeToken("method-added"))
        fixture.time.advance(by: .seconds(1))
        let refused = try await fixture.refusedSignIn(password: Self.new)
        #expect(refused == .invalidCredential)
        let google = try await fixture.signIn(by: .token("g1", email: "ada@example.org"))
        #expect(google.account?.methods == ["google"])
    }

    @Test("G-11: a reset link from before is void")
    func resetLink() async throws {
        let ada = try await person()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        let token = try fixture.latestToken("reset-password")
        _ = try await fixture.linkPassword(Self.new, in: ada.session)
        let reset = try await refusal {
            try await fixture.credentials.resetPassword(
                .init(token: token, password: "Owner8Password"), fixture.context())
        }
        #expect(reset.code == .invalidLink)
    }

    @Test("G-14: an account that has a password keeps it, and the refusal is recorded")
    func hasOne() async throws {
        let account = try await fixture.registerProved().accountId
        let session = fixture.devices.open(account)
        let hashes = fixture.hashes
        let refused = try await refusal { try await fixture.linkPassword(Self.new, in: session) }
        #expect(refused == ServiceError(.providerAlreadyLinked))
        #expect(fixture.hashes == hashes, "nothing is hashed for it")
        #expect(try await fixture.audited("identity.linking-refused") == 1)
        _ = try await fixture.signIn()
    }

    @Test("N-01: a password that is disowned counts as none, and is replaced")
    func disownedBefore() async throws {
        let account = try await fixture.registerProved().accountId
        _ = try await fixture.link(.token("g1"), in: fixture.devices.open(account))
        try await fixture.change("UPDATE passwords SET disowned_at_ms = changed_at_ms")
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.linkPassword(Self.new, in: signedIn(account))
        _ = try await fixture.signIn(password: Self.new)
        #expect(try await fixture.count("passwords") == 1)
        #expect(try await fixture.refusedSignIn() == .invalidCredential)
    }

    @Test("G-14: an unverified address, no address and a guest are refused")
    func refused() async throws {
        let unproved = try await person(isVerified: false)
        let key = try #require(AccountID(text: unproved.id)).key
        try await fixture.change(
            """
            INSERT INTO email_addresses (account, look_up_key, address, held_at_ms)
            VALUES (?, ?, ?, 1)
            """, [.integer(key), .blob([1]), .blob([1])])
        let first = try await refusal {
            try await fixture.linkPassword(Self.new, in: unproved.session)
        }
        #expect(first == ServiceError(.emailNotVerified))
        try await fixture.change("DELETE FROM email_addresses")
        let second = try await refusal {
            try await fixture.linkPassword(Self.new, in: unproved.session)
        }
        #expect(second == ServiceError(.operationNotAllowed))
        let guest = try await fixture.guest()
        let third = try await refusal { try await fixture.linkPassword(Self.new, in: guest.token) }
        #expect(third == ServiceError(.operationNotAllowed))
        #expect(try await fixture.count("passwords") == 0)
        #expect(try await fixture.audited("identity.linking-refused") == 2)
    }

    @Test("G-13: a recent proof is required, and the error names what would do")
    func recentProof() async throws {
        let ada = try await person()
        fixture.time.advance(by: .seconds(300))
        let refused = try await refusal {
            try await fixture.linkPassword(Self.new, in: ada.session)
        }
        #expect(refused.code == .requiresRecentLogin)
        #expect(refused.acceptableProofs == ["provider_token"])
        #expect(try await fixture.count("passwords") == 0)
    }

    @Test("X-04: a session that ends meanwhile adds nothing, and the refusal is recorded")
    func ended() async throws {
        let ada = try await person()
        fixture.time.advance(by: .seconds(1))
        fixture.devices.onceAsked { [fixture] in _ = try await fixture.resetPassword() }
        let refused = try await refusal {
            try await fixture.linkPassword(Self.new, in: ada.session)
        }
        // The reset has set a password too; the session is judged first.
        #expect(refused == ServiceError(.sessionEnded))
        #expect(try await fixture.audited("identity.linking-refused") == 1)
        _ = try await fixture.signIn(password: "Owner8Password")
        #expect(try await fixture.refusedSignIn(password: Self.new) == .invalidCredential)
    }

    @Test("G-25: a repeat adds nothing, and needs the same password")
    func repeated() async throws {
        let ada = try await person()
        let first = try await fixture.linkPassword(Self.new, in: ada.session, key: "k")
        #expect(try await fixture.linkPassword(Self.new, in: ada.session, key: "k") == first)
        let other = try await refusal {
            try await fixture.linkPassword("Other8Password", in: ada.session, key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await fixture.audited("identity.linked") == 1)
        _ = try await fixture.signIn(password: Self.new)
    }
}

extension IdentityFixture {
    /// A session of an account that signs in with Google alone, and whose address is verified.
    func sessionWithoutPassword(_ email: String = "ada@example.org") async throws -> String {
        devices.open(
            try await account(by: .token("g1", email: email)).accountId,
            amr: Authentication.providerToken.amr)
    }

    /// Adds a password to the account of a session.
    func linkPassword(
        _ password: String, in session: String, key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await credentials.linkPassword(
            .init(password: .init(text: password), device: Self.device), relayed(session, key))
        return try #require(answer.account)
    }
}
