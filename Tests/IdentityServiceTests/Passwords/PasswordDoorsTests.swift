import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: every call that sets a password checks the policy", .timeLimit(.minutes(1)))
struct PasswordDoorsTests {
    /// A common password, and one of the account's own words.
    static let refused = [
        ("Summer2024!", ServiceError(.weakPassword, fields: ["password.common"])),
        ("Lovelace1815", ServiceError(.weakPassword, fields: ["password.context"])),
    ]

    let house: IdentityFixture

    init() throws { house = try IdentityFixture() }

    private func register(_ password: String = "Correct7Horse") async throws -> String {
        try #require(
            try await house.register("lovelace@example.org", password: password).account
        ).accountId
    }

    @Test("I-02: sign-up refuses a weak password and writes nothing", arguments: refused)
    func signUp(password: String, error: ServiceError) async throws {
        #expect(try await refusal { try await register(password) } == error)
        #expect(try await house.count("accounts") == 0)
        #expect(house.hashes == 0)
    }

    @Test("I-02: a reset refuses a weak password, and its link stays valid", arguments: refused)
    func reset(password: String, error: ServiceError) async throws {
        _ = try await register()
        _ = try await house.credentials.requestPasswordReset(
            .init(email: "lovelace@example.org"), house.context())
        try await house.relay()
        let token = try house.latestToken("reset-password")
        let reset = try await refusal {
            try await house.credentials.resetPassword(
                .init(token: token, password: .init(text: password)), house.context())
        }
        #expect(reset == error)
        _ = try await house.credentials.resetPassword(
            .init(token: token, password: "Owners9Password"), house.context())
    }

    @Test("I-02: a change refuses a weak password before it checks the old one", arguments: refused)
    func change(password: String, error: ServiceError) async throws {
        let account = try await register()
        let session = try #require(SessionID(key: 1)).text
        let change = try await refusal {
            try await house.credentials.changePassword(
                .init(
                    accountId: account, sessionId: session, currentPassword: "Wrong7Horse",
                    newPassword: .init(text: password)), house.context())
        }
        #expect(change == error)
    }

    @Test("I-02: confirming an address refuses a weak replacement password", arguments: refused)
    func verification(password: String, error: ServiceError) async throws {
        _ = try await register()
        try await house.relay()
        let token = try house.latestToken()
        let verify = try await refusal {
            try await house.accounts.confirmEmail(
                .init(token: token, password: .init(text: password)), house.context())
        }
        #expect(verify == error)
    }
}
