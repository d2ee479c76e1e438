import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-36: passwords and guests are switched off", .timeLimit(.minutes(1)))
struct SwitchedOffTests {
    private static let password: SecretBytes = "Correct7Horse"

    /// A store in which accounts were made, opened again by a service without passwords and guests.
    /// - Parameter prepare: Makes the accounts, and returns what the test needs of them.
    private static func off<Value>(
        after prepare: (IdentityFixture) async throws -> Value
    ) async throws -> (IdentityFixture, Value) {
        let first = try IdentityFixture()
        let value = try await prepare(first)
        first.store.close()
        let fixture = try IdentityFixture(
            folder: first.folder, time: first.time, seed: 2,
            adjusting: { ($0.passwordSignIn, $0.guests) = (.off, .off) })
        return (fixture, value)
    }

    private static func account(_ fixture: IdentityFixture) async throws -> String {
        try #require(try await fixture.register().account).accountId
    }

    /// The codes of all calls that take a password without a session.
    private static func codes(
        _ fixture: IdentityFixture, _ email: String
    ) async throws -> [ErrorCode] {
        let device = IdentityFixture.device
        return [
            try await refusal { try await fixture.register(email) }.code,
            try await refusal { try await fixture.signIn(email) }.code,
            try await refusal {
                try await fixture.credentials.requestPasswordReset(
                    .init(email: email, device: device), fixture.context())
            }.code,
            try await refusal {
                try await fixture.credentials.resetPassword(
                    .init(
                        token: String(repeating: "A", count: 43), password: "Owner8Password",
                        device: device), fixture.context())
            }.code,
            try await refusal {
                try await fixture.emails.resendVerificationByPassword(
                    .init(email: email, password: Self.password, device: device),
                    fixture.context())
            }.code,
            try await refusal {
                try await fixture.emails.correctEmail(
                    .init(
                        correction: .init(
                            email: email, password: Self.password, newEmail: "new@example.org",
                            device: device)), fixture.context())
            }.code,
        ]
    }

    @Test("X-02: each call without a session is refused alike, with an account or without")
    func outside() async throws {
        let (fixture, _) = try await Self.off { try await Self.account($0) }
        let waiting = try await fixture.waiting()
        let refused = [ErrorCode](repeating: .operationNotAllowed, count: 6)
        #expect(try await Self.codes(fixture, "ada@example.org") == refused)
        #expect(try await Self.codes(fixture, "nobody@example.org") == refused)
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.waiting() == waiting)
        let guest = try await refusal { try await fixture.signInAsGuest() }
        #expect(guest.code == .operationNotAllowed)
    }

    @Test("in a session none is compared, changed or added, and none is asked for")
    func inside() async throws {
        let (fixture, ada) = try await Self.off { try await Self.account($0) }
        let token = fixture.devices.open(ada)
        let device = IdentityFixture.device
        let codes = [
            try await refusal {
                try await fixture.credentials.changePassword(
                    .init(
                        currentPassword: Self.password, newPassword: "Owner8Password",
                        device: device), fixture.relayed(token))
            }.code,
            try await refusal {
                try await fixture.credentials.linkPassword(
                    .init(password: "Owner8Password", device: device), fixture.relayed(token))
            }.code,
            try await refusal {
                try await fixture.accounts.proveByPassword(
                    .init(reauthentication: .init(device: device, proof: .password(Self.password))),
                    fixture.relayed(token))
            }.code,
        ]
        #expect(codes == [ErrorCode](repeating: .operationNotAllowed, count: 3))
        let account = try #require(AccountID(text: ada))
        let proofs = try await fixture.store.read { [fixture] session in
            let row = try session.callersRow(account)
            return try fixture.writer.availableProofs(
                of: row, fixture.settings, hasDeviceKey: false, in: session)
        }
        #expect(proofs.kinds[.password] == nil)
    }

    @Test("a link to verify an address confirms in its session alone, and needs no password")
    func verification() async throws {
        let (fixture, (ada, link)) = try await Self.off { first in
            let ada = try await Self.account(first)
            try await first.relay()
            return (ada, try first.latestToken())
        }
        let described = try await fixture.accounts.describeLink(
            .init(purpose: .verifyEmail, token: .init(text: link)), fixture.context())
        #expect(described.usable && described.sessionNeeded && !described.passwordNeeded)
        for password in ["", "Correct7Horse", "Another7Horse"] {
            let outside = try await refusal {
                try await fixture.accounts.confirmEmail(
                    .init(
                        token: link, password: .init(text: password),
                        device: IdentityFixture.device), fixture.context())
            }
            #expect(outside.code == .operationNotAllowed)
        }
        let inside = try await fixture.accounts.confirmEmail(
            .init(token: link, device: IdentityFixture.device),
            fixture.relayed(fixture.devices.open(ada)))
        #expect(inside.account?.emailVerified == true)
    }

    @Test("a link to set a password is not usable, and one that was requested before is not mailed")
    func reset() async throws {
        let (fixture, link) = try await Self.off { first in
            _ = try await first.register()
            let request = GatewayV1.RequestPasswordResetRequest(
                email: "ada@example.org", device: IdentityFixture.device)
            _ = try await first.credentials.requestPasswordReset(request, first.context())
            try await first.relay()
            let link = try first.latestToken("reset-password")
            _ = try await first.credentials.requestPasswordReset(request, first.context())
            return link
        }
        let described = try await fixture.accounts.describeLink(
            .init(purpose: .resetPassword, token: .init(text: link)), fixture.context())
        #expect(described == GatewayV1.DescribeLinkResponse())
        try await fixture.relay()
        #expect(fixture.notifications.mails.allSatisfy { $0.template != "reset-password" })
    }

    @Test("I-10: a backend's password is refused, and so is a link to set one")
    func backend() async throws {
        let (identity, ada) = try await Self.off { try await Self.account($0) }
        let fixture = try BackendAccountsFixture(identity)
        let created = try await refusal {
            try await fixture.create(
                .init(email: "bob@example.org", password: Self.password), key: "1")
        }
        #expect(created.code == .operationNotAllowed && created.fields == ["password"])
        var change = GatewayV1.ChangeAccountRequest()
        change.password = Self.password
        let changed = try await refusal { try await fixture.change(ada, change, key: "2") }
        #expect(changed.code == .operationNotAllowed && changed.fields == ["password"])
        let link = try await refusal { try await fixture.link(ada, .resetPassword, key: "3") }
        #expect(link.code == .operationNotAllowed)
        let bob = try await fixture.create(.init(email: "bob@example.org"), key: "4")
        #expect(bob.account?.email == "bob@example.org")
    }

    @Test("I-04: accounts that have nothing else are orphans, and are counted at the start")
    func orphans() async throws {
        let (fixture, ada) = try await Self.off { first in
            _ = try await first.account(by: .token("g1", email: "eve@example.org"))
            _ = try await first.signInAsGuest()
            return try await Self.account(first)
        }
        try await fixture.service.reportAccountsWithPasswordAlone(
            fixture.log.logger(time: fixture.time))
        let lines = fixture.log.lines.filter { $0.contains("identity.passwords.needed") }
        #expect(lines.count == 1 && lines.first?.contains("account-without-way-in") == true)
        let orphan = Orphan(
            kind: .accountWithoutWayIn, account: try #require(AccountID(text: ada)),
            isRepairable: false)
        #expect(try await fixture.run(fixture.orphanCheck(hasPasswords: false)) == [orphan])
        #expect(try await fixture.run(fixture.orphanCheck()).isEmpty)
    }

    @Test("the settings have their words")
    func settings() throws {
        let off: IdentitySettings = try SettingsLoader.settings([
            "--password-sign-in", "off", "--guests", "off",
        ])
        #expect(off.passwordSignIn == .off && off.guests == .off)
        let standard: IdentitySettings = try SettingsLoader.settings()
        #expect(standard.passwordSignIn == .on && standard.guests == .on)
        #expect(off.opening([.password, .phone]) == [.phone])
        #expect(standard.opening([.password, .phone]) == [.password, .phone])
    }
}
