import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-12: changing the password", .timeLimit(.minutes(1)))
struct ChangePasswordTests {
    private static let old = "Correct7Horse"
    private static let new = "Owners9Password"

    let fixture: IdentityFixture
    let account: String
    /// The access token of the session that changes the password.
    let access: String

    init() async throws {
        fixture = try IdentityFixture()
        (account, access) = try await fixture.member()
        try await fixture.relay()
    }

    private func change(
        _ current: String = old, _ new: String = new, in session: String? = nil,
        key: String? = nil
    ) async throws {
        let device = GatewayV1.Device(deviceId: "d", platform: "cli", name: "Win! http://e")
        _ = try await fixture.credentials.changePassword(
            .init(
                currentPassword: .init(text: current), newPassword: .init(text: new),
                device: device), fixture.relayed(session ?? access, key))
    }

    private func audited(_ kind: String) async throws -> Int64 {
        try await fixture.count("audit", where: "kind = 'account.\(kind)'")
    }

    @Test("G-12: a password change ends all sessions of the account except the caller's")
    func changes() async throws {
        let before = fixture.time.now().milliseconds
        try await change()
        try await fixture.relay()
        #expect(fixture.sessions.ended.count == 1)
        let ended = try #require(fixture.sessions.ended.first)
        #expect(ended.accountId == account)
        #expect(ended.exceptSessionId == fixture.devices.session(of: access))
        #expect(ended.beforeMs > before && ended.reason == .security)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        _ = try await fixture.signIn(password: Self.new)
        #expect(try await audited("password-replaced") == 1)
    }

    @Test("N-01: the owner gets a mail; only a proved address is sent the device's name")
    func told() async throws {
        try await change()
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
        try await change(Self.new, Self.old)
        try await fixture.relay()
        let devices = fixture.notifications.mails.filter { $0.template == "password-changed" }
            .map { mail in mail.variables.first { $0.name == "device" }?.value ?? "none" }
        // Mails are delivered in parallel, so their order is not fixed.
        #expect(devices.sorted() == ["", "Win http e"])
    }

    @Test("N-01: repeated password changes send at most three mails")
    func flood() async throws {
        for _ in 0..<3 {
            try await change()
            try await change(Self.new, Self.old)
        }
        try await fixture.relay()
        #expect(fixture.notifications.mails.count { $0.template == "password-changed" } == 3)
        #expect(try await audited("password-replaced") == 6)
    }

    @Test("G-12: a wrong password changes nothing and is audited, also where there is none")
    func wrong() async throws {
        let bob = try await fixture.account(by: .token("g1", email: "bob@example.org")).accountId
        try await fixture.relay()
        let bobs = fixture.devices.open(bob)
        for (current, session) in [("Wrong7Horse", access), ("", access), (Self.old, bobs)] {
            let hashes = fixture.hashes
            let error = try await refusal { try await change(current, in: session) }
            #expect(error == ServiceError(.invalidCredential))
            #expect(fixture.hashes == hashes + 1)
        }
        #expect(try await audited("password-change-refused") == 3)
        #expect(try await fixture.waiting() == 0)
        _ = try await fixture.signIn()
    }

    @Test("G-12: no session and invalid arguments are refused before any password is hashed")
    func refused() async throws {
        let hashes = fixture.hashes
        let outside = try await refusal {
            try await fixture.credentials.changePassword(
                .init(currentPassword: .init(text: Self.old), newPassword: .init(text: Self.new)),
                fixture.context())
        }
        #expect(outside.code == .invalidAccessToken)
        let nobody = fixture.devices.open("acc_0000000000001")
        #expect(try await refusal { try await change(in: nobody) }.code == .invalidAccessToken)
        let ended = fixture.devices.open(account)
        fixture.devices.end(ended)
        #expect(try await refusal { try await change(in: ended) }.code == .sessionEnded)
        #expect(try await refusal { try await change(Self.old, "short") }.code == .weakPassword)
        #expect(
            try await refusal { try await change("Wrong7Horse", "short") }.code == .weakPassword,
            "the error reveals nothing about the current password")
        let long = String(repeating: "Aa1", count: 400)
        #expect(try await refusal { try await change(long) }.code == .invalidCredential)
        #expect(fixture.hashes == hashes)
    }

    @Test("X-02: a disabled account is refused before the password is compared")
    func stopped() async throws {
        try await fixture.change("UPDATE accounts SET status = 2")
        let hashes = fixture.hashes
        for password in ["Wrong7Horse", Self.old] {
            #expect(try await refusal { try await change(password) }.code == .accountDisabled)
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("G-12: a password change voids pending reset links and keeps verification links")
    func links() async throws {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        try await change()
        #expect(try await fixture.count("links", where: "purpose = 2") == 0)
        #expect(try await fixture.count("links", where: "purpose = 1") == 1)
    }

    @Test("G-12: of 20 parallel changes of one password exactly one succeeds")
    func race() async throws {
        let changed = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        try await change(Self.old, "Owner\(number)Password")
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(changed == 1)
        #expect(try await audited("password-replaced") == 1)
    }

    @Test("G-11: of a parallel password change and reset exactly one succeeds")
    func raceWithReset() async throws {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        let token = try fixture.latestToken("reset-password")
        async let changing: Bool = {
            do {
                try await change(Self.old, "Strangers9Word")
                return true
            } catch { return false }
        }()
        let reset: Bool
        do {
            _ = try await fixture.credentials.resetPassword(
                .init(token: token, password: .init(text: Self.new)), fixture.context())
            reset = true
        } catch let error as ServiceError where error.code == .invalidLink {
            reset = false
        }
        let changed = await changing
        #expect(reset != changed, "exactly one of the two succeeds")
        _ = try await fixture.signIn(password: reset ? Self.new : "Strangers9Word")
    }

    @Test("G-25: a repeat under the same key succeeds only with the same new password")
    func repeated() async throws {
        try await change(key: "k")
        try await change(key: "k")
        let before = fixture.hashes
        let wrong = try await refusal { try await change(Self.old, "Guessed7Horse", key: "k") }
        #expect(wrong.code == .invalidCredential, "a guess, and counted as one")
        #expect(fixture.hashes == before + 1)
        try await fixture.relay()
        #expect(fixture.sessions.ended.count == 1)
        #expect(try await audited("password-replaced") == 1)
    }

    @Test("G-25: a key used for another change does not report a change that was not made")
    func reusedForAnother() async throws {
        try await change(key: "k")
        let reused = try await refusal { try await change(Self.new, "Third9Password", key: "k") }
        #expect(reused.code == .invalidCredential, "only the new password was compared")
        _ = try await fixture.signIn(password: Self.new)
        try await change(Self.new, "Third9Password", key: "l")
        _ = try await fixture.signIn(password: "Third9Password")
        #expect(try await audited("password-replaced") == 2)
    }

    @Test("G-25: a change to the same password can be repeated")
    func repeatedSame() async throws {
        for _ in 0..<2 { try await change(Self.old, Self.old, key: "k") }
        #expect(try await audited("password-replaced") == 1)
    }

    @Test("G-25: a key used for another request is refused before a password is compared")
    func reusedKey() async throws {
        try await change(key: "k")
        let other = fixture.devices.open(account)
        let before = fixture.hashes
        let wrong = try await refusal { try await change(in: other, key: "k") }
        let right = try await refusal {
            try await change(Self.new, "Third9Password", in: other, key: "k")
        }
        #expect(wrong == right && right.code == .idempotencyKeyReused)
        #expect(fixture.hashes == before)
        _ = try await fixture.signIn(password: Self.new)
    }
}
