import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-12: changing the email address", .timeLimit(.minutes(1)))
struct EmailChangeTests {
    let fixture: IdentityFixture
    let ada: String
    let access: String

    init() async throws {
        fixture = try IdentityFixture()
        ada = try #require(try await fixture.register().account).accountId
        access = fixture.devices.open(ada)
        // Most addresses are proved. Unproved ones have their own tests.
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
    }

    @Test("G-12, D3 3.3: the change waits for a confirmation from the new address; both are mailed")
    func changes() async throws {
        let asked = try await fixture.requestChange("New@example.org", access)
        #expect(asked.email == "ada@example.org" && asked.pendingEmail == "New@example.org")
        try await fixture.relay()
        let requested = try #require(fixture.mail("email-change-requested"))
        #expect(requested.recipient == "ada@example.org")
        #expect(requested.variables.first { $0.name == "address" }?.value == "New@example.org")
        #expect(try #require(fixture.mail("email-change-confirm")).recipient == "New@example.org")
        _ = try await fixture.signIn()
        let waiting = try await fixture.refusedSignIn("new@example.org")
        #expect(waiting == .invalidCredential)
        let changed = try await fixture.confirmChange(try fixture.changeToken(), access: access)
        #expect(changed.email == "New@example.org" && changed.emailVerified)
        #expect(changed.pendingEmail == "")
        _ = try await fixture.signIn("new@example.org")
        #expect(try await fixture.refusedSignIn() == .invalidCredential)
        try await fixture.relay()
        #expect(try #require(fixture.mail("email-changed")).recipient == "ada@example.org")
        #expect(try await fixture.count("audit", where: "kind = 'account.email-changed'") == 1)
    }

    @Test("G-12: a pending change is shown with the account until it expires")
    func pending() async throws {
        _ = try await fixture.requestChange("new@example.org", access)
        #expect(try await fixture.pendingEmail(ada) == "new@example.org")
        fixture.time.advance(by: .seconds(24 * 3_600))
        #expect(try await fixture.pendingEmail(ada) == "")
    }

    @Test("G-12: outside the account's session the link needs the account's password")
    func elsewhere() async throws {
        let mallory = try #require(try await fixture.register("mallory@example.org").account)
        _ = try await fixture.requestChange("new@example.org", access)
        try await fixture.relay()
        let token = try fixture.changeToken()
        for stranger in [nil, fixture.devices.open(mallory.accountId)] {
            #expect(try await fixture.refusedChange(token, access: stranger) == .passwordNeeded)
        }
        #expect(
            try await fixture.refusedChange(token, access: "access-token-over") == .sessionEnded)
        #expect(
            try await fixture.refusedChange(token, password: "Wrong7Horse") == .invalidCredential)
        #expect(
            try await fixture.confirmChange(token, password: "Correct7Horse").email
                == "new@example.org")
    }

    @Test("I-06: after five wrong passwords a link refuses the right one too")
    func guesses() async throws {
        _ = try await fixture.requestChange("new@example.org", access)
        try await fixture.relay()
        let token = try fixture.changeToken()
        for _ in 0..<5 {
            let code = try await fixture.refusedChange(token, password: "Wrong7Horse")
            #expect(code == .invalidCredential)
        }
        let right = try await fixture.refusedChange(token, password: "Correct7Horse")
        #expect(right == .invalidLink)
        // The owner's own session can still confirm.
        _ = try await fixture.confirmChange(token, access: access)
    }

    @Test("G-12: a newer change voids the link of the previous one")
    func two() async throws {
        _ = try await fixture.requestChange("first@example.org", access)
        try await fixture.relay()
        let first = try fixture.changeToken()
        _ = try await fixture.requestChange("second@example.org", access)
        try await fixture.relay()
        #expect(try await fixture.refusedChange(first, access: access) == .invalidLink)
        let changed = try await fixture.confirmChange(try fixture.changeToken(), access: access)
        #expect(changed.email == "second@example.org")
    }

    @Test("G-12: a cancelled change voids its link")
    func cancelled() async throws {
        #expect(try await !fixture.cancelChange(access))
        _ = try await fixture.requestChange("new@example.org", access)
        try await fixture.relay()
        #expect(try await fixture.cancelChange(access))
        #expect(try await !fixture.cancelChange(access))
        let code = try await fixture.refusedChange(try fixture.changeToken(), access: access)
        #expect(code == .invalidLink)
    }

    @Test("G-12, A-02: a cancellation is recorded with its device, and repeated from another one")
    func device() async throws {
        _ = try await fixture.requestChange("new@example.org", access)
        let long = try await refusal {
            try await fixture.cancelChange(access, on: String(repeating: "x", count: 129))
        }
        #expect(long == .invalidArgument("device.device_id", "Use at most 128 bytes."))
        for device in ["device-canary", "another"] {
            #expect(try await fixture.cancelChange(access, on: device, key: "k"))
        }
        let hash = fixture.keys.audit.lookUpKey(Array("device\0device-canary".utf8))
        let stored = try await fixture.store.read { session in
            try session.query(
                "SELECT device FROM audit WHERE kind = 'account.email-change-cancelled'"
            ) { try $0.blob(0) }
        }
        #expect(stored == [hash])
    }

    @Test("X-04: a reset and a password change delete a pending change (unexpired email change)")
    func stopped() async throws {
        for isReset in [true, false] {
            // The previous round ended the sessions.
            fixture.time.advance(by: .seconds(1))
            let access = fixture.devices.open(ada)
            _ = try await fixture.requestChange("attacker@example.org", access)
            try await fixture.relay()
            let stale = try fixture.changeToken()
            if isReset {
                _ = try await fixture.credentials.requestPasswordReset(
                    .init(email: "ada@example.org"), fixture.context())
                try await fixture.relay()
                _ = try await fixture.credentials.resetPassword(
                    .init(
                        token: try fixture.latestToken("reset-password"),
                        password: "Owners9Password"), fixture.context())
            } else {
                _ = try await fixture.credentials.changePassword(
                    .init(currentPassword: "Owners9Password", newPassword: "Correct7Horse"),
                    fixture.relayed(access))
            }
            #expect(try await fixture.refusedChange(stale, access: access) == .invalidLink)
            #expect(try await fixture.count("email_changes") == 0)
        }
    }

    @Test("X-04: proving the address with another password deletes a pending change")
    func stoppedByOwner() async throws {
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = NULL")
        _ = try await fixture.requestChange("attacker@example.org", access)
        try await fixture.relay()
        let stale = try fixture.changeToken()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Owners9Password"), fixture.context())
        #expect(try await fixture.refusedChange(stale, access: access) == .invalidLink)
    }

    @Test("G-12: links mailed to the old address are void after the change")
    func oldLinks() async throws {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        _ = try await fixture.requestChange("new@example.org", access)
        try await fixture.relay()
        _ = try await fixture.confirmChange(try fixture.changeToken(), access: access)
        let reset = try await refusal {
            try await fixture.credentials.resetPassword(
                .init(
                    token: try fixture.latestToken("reset-password"), password: "Guessed7Horse"),
                fixture.context())
        }
        #expect(reset.code == .invalidLink)
    }

    @Test("G-12: a link of one purpose is refused for another")
    func purposes() async throws {
        _ = try await fixture.requestChange("new@example.org", access)
        try await fixture.relay()
        let change = try fixture.changeToken()
        let verify = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: change), fixture.relayed(access))
        }
        #expect(verify.code == .invalidLink)
        let code = try await fixture.refusedChange(try fixture.latestToken(), access: access)
        #expect(code == .invalidLink)
    }

    @Test("G-13: a sign-in five minutes ago is not recent enough to request a change")
    func recentProof() async throws {
        fixture.time.advance(by: .seconds(300))
        let error = try await refusal { try await fixture.requestChange("new@example.org", access) }
        #expect(error.code == .requiresRecentLogin && error.acceptableProofs == ["password"])
        #expect(try await fixture.count("email_changes") == 0)
    }

    @Test("G-12: the current address, an invalid address and a guest are refused")
    func refused() async throws {
        let own = try await refusal { try await fixture.requestChange("ADA@example.org", access) }
        #expect(own == ServiceError.ownAddress(field: "new_email"))
        #expect(own.userMessage == "This is already your address.")
        let none = try await refusal { try await fixture.requestChange("new@", access) }
        #expect(none == ServiceError(.invalidEmail, fields: ["new_email"]))
        try await fixture.change("UPDATE accounts SET is_guest = 1")
        let guest = try await refusal { try await fixture.requestChange("new@example.org", access) }
        #expect(guest.code == .operationNotAllowed)
    }

    @Test("G-12: an account without an address adds one the same way; only that one is mailed")
    func first() async throws {
        try await fixture.change("DELETE FROM email_addresses")
        _ = try await fixture.requestChange("first@example.org", access)
        try await fixture.relay()
        #expect(fixture.mail("email-change-requested") == nil)
        let changed = try await fixture.confirmChange(try fixture.changeToken(), access: access)
        #expect(changed.email == "first@example.org" && changed.emailVerified)
    }

    @Test("G-25: repeats send one mail and get the first answer")
    func repeated() async throws {
        for _ in 0..<3 { _ = try await fixture.requestChange("new@example.org", access, key: "k") }
        try await fixture.relay()
        let mails = fixture.notifications.mails.filter { $0.template == "email-change-confirm" }
        #expect(mails.count == 1)
        let token = try fixture.changeToken()
        for _ in 0..<3 {
            let changed = try await fixture.confirmChange(token, access: access, key: "c")
            #expect(changed.email == "new@example.org")
        }
        let stranger = try await refusal {
            try await fixture.confirmChange(token, password: "Wrong7Horse", key: "c")
        }
        #expect(stranger.code == .idempotencyKeyReused)
    }
}

extension IdentityFixture {
    func requestChange(
        _ email: String, _ access: String, key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await emails.requestEmailChange(
            .init(newEmail: email, device: Self.device), relayed(access, key))
        return try #require(answer.account)
    }

    func confirmChange(
        _ token: String, access: String? = nil, password: String = "", key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await emails.confirmEmailChange(
            .init(token: token, password: .init(text: password), device: Self.device),
            relayed(access, key))
        return try #require(answer.account)
    }

    func refusedChange(
        _ token: String, access: String? = nil, password: String = ""
    ) async throws -> ErrorCode {
        try await refusal {
            try await confirmChange(token, access: access, password: password)
        }.code
    }

    func cancelChange(
        _ access: String, on device: String = "", key: String? = nil
    ) async throws -> Bool {
        try await emails.cancelEmailChange(
            .init(device: .init(deviceId: device)), relayed(access, key)
        ).cancelled
    }

    func changeToken() throws -> String {
        let link = try #require(
            mail("email-change-confirm")?.variables.first { $0.name == "link" }?.value)
        let start = "https://app.example/change-email?token="
        try #require(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    /// The latest mail of a template.
    func mail(_ template: String) -> NotificationV1.SendEmailRequest? {
        notifications.mails.last { $0.template == template }
    }

    func pendingEmail(_ account: String) async throws -> String {
        let answer = try await accounts.getAccount(.init(accountId: account), context())
        return try #require(answer.account).pendingEmail
    }

    func refusedSignIn(
        _ email: String = "ada@example.org", password: String = "Correct7Horse"
    ) async throws -> ErrorCode {
        try await refusal { try await signIn(email, password: password) }.code
    }
}
