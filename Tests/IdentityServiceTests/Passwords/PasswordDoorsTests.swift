import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: every call that sets a password checks the policy", .timeLimit(.minutes(1)))
struct PasswordDoorsTests {
    /// A common password, and one of the account's own words.
    static let refused = [
        ("Summer2024!", PasswordRule.common), ("Lovelace1815", .context),
    ]

    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private static func error(
        _ rule: PasswordRule, field: String = "password"
    ) -> ServiceError {
        .weakPassword([rule], field: field)
    }

    private func register(_ password: String = "Correct7Horse") async throws -> String {
        try #require(
            try await fixture.register("lovelace@example.org", password: password).account
        ).accountId
    }

    @Test("I-02: sign-up refuses a weak password and writes nothing", arguments: refused)
    func signUp(password: String, rule: PasswordRule) async throws {
        #expect(try await refusal { try await register(password) } == Self.error(rule))
        #expect(try await fixture.count("accounts") == 0)
        #expect(fixture.hashes == 0)
    }

    @Test("I-02: a reset refuses a weak password, and its link stays valid", arguments: refused)
    func reset(password: String, rule: PasswordRule) async throws {
        _ = try await register()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "lovelace@example.org"), fixture.context())
        try await fixture.relay()
        let token = try fixture.latestToken("reset-password")
        let reset = try await refusal {
            try await fixture.credentials.resetPassword(
                .init(token: token, password: .init(text: password)), fixture.context())
        }
        #expect(reset == Self.error(rule))
        _ = try await fixture.credentials.resetPassword(
            .init(token: token, password: "Owners9Password"), fixture.context())
    }

    @Test("I-02: a change refuses a weak password before it checks the old one", arguments: refused)
    func change(password: String, rule: PasswordRule) async throws {
        let token = fixture.devices.open(try await register())
        let change = try await refusal {
            try await fixture.credentials.changePassword(
                .init(currentPassword: "Wrong7Horse", newPassword: .init(text: password)),
                fixture.relayed(token))
        }
        #expect(change == Self.error(rule, field: "new_password"))
    }

    @Test("I-02: a password that is added is refused if it is weak", arguments: refused)
    func link(password: String, rule: PasswordRule) async throws {
        let session = try await fixture.sessionWithoutPassword("lovelace@example.org")
        let hashes = fixture.hashes
        let link = try await refusal { try await fixture.linkPassword(password, in: session) }
        #expect(link == Self.error(rule))
        #expect(fixture.hashes == hashes)
        _ = try await fixture.linkPassword("Owners9Password", in: session)
    }

    @Test("I-02: confirming an address refuses a weak replacement password", arguments: refused)
    func verification(password: String, rule: PasswordRule) async throws {
        _ = try await register()
        try await fixture.relay()
        let token = try fixture.latestToken()
        let verify = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: token, password: .init(text: password)), fixture.context())
        }
        #expect(verify == Self.error(rule))
    }
}
