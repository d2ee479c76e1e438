import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite(
    "Two calls about one account, with their statements interleaved",
    .enabled(if: TestStore.runs("*InterleavingsTests")), .timeLimit(.minutes(1)))
struct AccountInterleavingsTests {
    typealias Call = @Sendable () async throws -> Void

    /// Two calls, and what must hold after both.
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// One of the counts of `look`.
        let right: String
        /// Arranges the accounts.
        let calls: @Sendable (IdentityFixture) async throws -> (Call, Call)

        init(
            _ name: String, _ right: String,
            _ calls: @escaping @Sendable (IdentityFixture) async throws -> (Call, Call)
        ) {
            testDescription = name
            self.right = right
            self.calls = calls
        }
    }

    @Test("the calls leave what they leave one after the other", arguments: pairs)
    func interleaved(pair: Pair) async throws {
        var interleavings: Interleavings?
        let fixture = try IdentityFixture { inner in
            let made = Interleavings(inner)
            interleavings = made
            return made
        }
        let (first, second) = try await pair.calls(fixture)
        // The first sign-in writes down the scheme of the passwords.
        _ = try await fixture.responseTimeFloor.floor()
        let report = try await #require(interleavings).explore(first, second, Self.look)
        #expect(report.wrong.isEmpty)
        #expect(report.interleavings > 0)
        for left in report.serial { #expect(left.contains(" \(pair.right),"), "\(left)") }
    }

    private static func look(_ transaction: Transaction) throws -> String {
        try transaction.numbers([
            "used devices": "count(*) FROM known_devices",
            "accounts": "count(*) FROM accounts",
            "guests": "count(*) FROM accounts WHERE is_guest = 1",
            "suspended": "count(*) FROM suspensions",
            "as the sum of the states": "coalesce(sum(status), 0) FROM accounts",
            "identities": "count(*) FROM identities",
            "passwords": "count(*) FROM passwords",
            "methods":
                "(SELECT count(*) FROM identities) + (SELECT count(*) FROM passwords)",
            "addresses": "count(*) FROM email_addresses",
            "proved": "count(*) FROM email_addresses WHERE proved_at_ms IS NOT NULL",
            "links": "count(*) FROM links",
            "pending changes": "count(*) FROM email_changes",
            "removals": "count(*) FROM removed_identities",
            "messages": "count(*) FROM outbox",
            "migrations": "count(*) FROM guest_migrations",
            "documents to move": "coalesce(sum(documents), 0) FROM guest_migrations",
            "documents": "coalesce(sum(documents), 0) FROM document_totals",
            "audit records": "count(*) FROM audit",
        ])
    }

    private static let pairs = [
        Pair("ChooseGuestData of two choices", "1 migrations") { fixture in
            let (choose, _) = try await fixture.guestChoice()
            return ({ try await choose(.merge) }, { try await choose(.keep) })
        },
        Pair("ChooseGuestData, a write by the guest", "1 migrations") { fixture in
            let (choose, write) = try await fixture.guestChoice()
            return ({ try await choose(.merge) }, write)
        },
        Pair("WriteDocuments at once, a step of a migration into the account", "1 migrations") {
            fixture in try await fixture.migrationStep(isMerge: false)
        },
        Pair("WriteDocuments of a merge, a step of a migration", "1 migrations") { fixture in
            try await fixture.migrationStep(isMerge: true)
        },
        Pair("Unlink of each of the last two methods", "1 methods") { fixture in
            let session = try await fixture.sessionWithGoogle()
            return (
                { _ = try await fixture.unlink("password", in: session) },
                { _ = try await fixture.unlink("google", in: session) }
            )
        },
        Pair("Unlink, SignInWithProvider by the identity", "1 methods") { fixture in
            let session = try await fixture.sessionWithGoogle()
            return (
                { _ = try await fixture.unlink("google", in: session) },
                { _ = try await fixture.signIn(by: .ada) }
            )
        },
        Pair("Unlink of the password, VerifyPassword", "1 methods") { fixture in
            let session = try await fixture.sessionWithGoogle()
            return (
                { _ = try await fixture.unlink("password", in: session) },
                { _ = try await fixture.signIn() }
            )
        },
        Pair("LinkProvider of two identities of one provider", "2 methods") { fixture in
            let account = try await fixture.registerProved().accountId
            let session = fixture.devices.open(account)
            return (
                { _ = try await fixture.link(.token("g1"), in: session) },
                { _ = try await fixture.link(.token("g2"), in: session) }
            )
        },
        Pair("LinkProvider by a stranger, SignInWithProvider that takes over", "1 methods") {
            fixture in
            let stranger = try #require(try await fixture.register().account).accountId
            let session = fixture.devices.open(stranger)
            return (
                { _ = try await fixture.link(.token("a1", by: "apple"), in: session) },
                { _ = try await fixture.signIn(by: .ada) }
            )
        },
        Pair("two first SignInWithProvider by one identity", "1 accounts") { fixture in
            (
                { _ = try await fixture.signIn(by: .ada) },
                { _ = try await fixture.signIn(by: .ada) }
            )
        },
        Pair("two first SignInWithProvider at a proved address", "2 methods") { fixture in
            _ = try await fixture.registerProved()
            return (
                { _ = try await fixture.signIn(by: .ada) },
                { _ = try await fixture.signIn(by: .ada) }
            )
        },
        Pair("SignInWithProvider of a guest by two identities", "1 accounts") { fixture in
            let guest = try await fixture.guest().token
            return (
                { _ = try await fixture.signIn(by: .token("g1"), guest: guest) },
                { _ = try await fixture.signIn(by: .token("a1", by: "apple"), guest: guest) }
            )
        },
        Pair("two Register at one address", "1 accounts") { fixture in
            ({ _ = try await fixture.register() }, { _ = try await fixture.register() })
        },
        Pair("Register, SignInWithProvider at one address", "1 methods") { fixture in
            ({ _ = try await fixture.register() }, { _ = try await fixture.signIn(by: .ada) })
        },
        Pair("ResetPassword, ChangePassword", "0 links") { fixture in
            let (account, link) = try await fixture.resetLink()
            let session = fixture.devices.open(account)
            return (
                { try await fixture.reset(by: link) },
                { try await fixture.changePassword(in: session) }
            )
        },
        Pair("ResetPassword, VerifyPassword", "0 links") { fixture in
            let link = try await fixture.resetLink().token
            return ({ try await fixture.reset(by: link) }, { _ = try await fixture.signIn() })
        },
        Pair("ResetPassword, SuspendAccount", "1 suspended") { fixture in
            let (account, link) = try await fixture.resetLink()
            return (
                { try await fixture.reset(by: link) }, { try await fixture.suspend(account) }
            )
        },
        Pair("VerifyPassword, SuspendAccount", "1 suspended") { fixture in
            let account = try await fixture.registerProved().accountId
            return (
                { _ = try await fixture.signIn() }, { try await fixture.suspend(account) }
            )
        },
        Pair("ConfirmEmail, RequestEmailChange", "1 proved") { fixture in
            let account = try #require(try await fixture.register().account).accountId
            try await fixture.relay()
            let (link, session) = (try fixture.latestToken(), fixture.devices.open(account))
            return (
                {
                    _ = try await fixture.accounts.confirmEmail(
                        .init(token: link), fixture.relayed(session))
                }, { _ = try await fixture.requestChange("new@example.org", session) }
            )
        },
        Pair("two LinkPassword", "1 passwords") { fixture in
            let session = try await fixture.sessionWithoutPassword()
            return (
                { _ = try await fixture.linkPassword("Owners9Password", in: session) },
                { _ = try await fixture.linkPassword("Another7Horse", in: session) }
            )
        },
        Pair("CorrectEmail, Register at the new address", "0 pending changes") { fixture in
            _ = try await fixture.register()
            return (
                { try await fixture.correct(to: "new@example.org") },
                { _ = try await fixture.register("new@example.org") }
            )
        },
        Pair("CorrectEmail, ConfirmEmail", "1 addresses") { fixture in
            let account = try #require(try await fixture.register().account).accountId
            try await fixture.relay()
            let (link, session) = (try fixture.latestToken(), fixture.devices.open(account))
            return (
                { try await fixture.correct(to: "new@example.org") },
                {
                    _ = try await fixture.accounts.confirmEmail(
                        .init(token: link), fixture.relayed(session))
                }
            )
        },
        Pair("ConfirmEmailChange, ChangePassword", "0 pending changes") { fixture in
            let account = try await fixture.registerProved().accountId
            let session = fixture.devices.open(account)
            _ = try await fixture.requestChange("new@example.org", session)
            try await fixture.relay()
            let link = try fixture.changeToken()
            return (
                { _ = try await fixture.confirmChange(link, access: session) },
                { try await fixture.changePassword(in: session) }
            )
        },
    ]
}

extension GatewayV1.ProviderToken {
    /// Google's for the address that `IdentityFixture.register` registers.
    fileprivate static let ada = token("ada", email: "ada@example.org")
}

extension IdentityFixture {
    private static let newPassword = "Owners9Password"

    /// A session of an account with a password and a Google identity.
    fileprivate func sessionWithGoogle() async throws -> String {
        let session = devices.open(try await registerProved().accountId)
        _ = try await link(.ada, in: session)
        return session
    }

    /// An account, and the link that resets its password.
    fileprivate func resetLink() async throws -> (account: String, token: String) {
        let account = try await registerProved().accountId
        _ = try await credentials.requestPasswordReset(.init(email: "ada@example.org"), context())
        try await relay()
        return (account, try latestToken("reset-password"))
    }

    fileprivate func reset(by link: String) async throws {
        _ = try await credentials.resetPassword(
            .init(token: link, password: .init(text: Self.newPassword), device: Self.device),
            context())
    }

    fileprivate func changePassword(in session: String) async throws {
        _ = try await credentials.changePassword(
            .init(
                currentPassword: .init(text: "Correct7Horse"),
                newPassword: .init(text: Self.newPassword), device: Self.device),
            relayed(session))
    }

    fileprivate func suspend(_ account: String) async throws {
        _ = try await admin(NoActivity()).suspendAccount(
            .init(accountId: account, reason: "spam", actor: "ann"),
            context(application: "tool"))
    }
}

extension IdentityFixture {
    /// A guest's document that is moved into an account: a write of the account's document of that
    /// name, and the step that moves it. The step and a merge are prepared from one snapshot.
    fileprivate func migrationStep(isMerge: Bool) async throws -> (
        write: AccountInterleavingsTests.Call, step: AccountInterleavingsTests.Call
    ) {
        let owner = try await member()
        let guest = try await guestWithDocument()
        let guestID = try #require(AccountID(text: guest.account))
        let choice = CollisionChoice(
            guest: guestID, generation: 1, account: try #require(AccountID(text: owner.id)),
            at: time.now())
        _ = try await service.data.guestData.chooseGuestData(
            .init(choiceToken: try choice.token(keys), choice: .merge), relayed(owner.token))
        let job = service.data.guestData.job
        let migration = try #require(
            try await store.read { try $0.migration(ofGuest: guestID) })
        _ = try await job.advance(migration)
        return (
            {
                _ = try await self.service.data.documents.writeDocuments(
                    .init(writes: [.make("settings", "main", "{}", merge: isMerge)]),
                    self.relayed(owner.token))
            }, { _ = try await job.advance(migration) }
        )
    }

    /// A guest with a document that may be chosen for: the choice, and another write by the guest.
    fileprivate func guestChoice() async throws -> (
        choose: @Sendable (GatewayV1.GuestDataChoice) async throws -> Void,
        write: AccountInterleavingsTests.Call
    ) {
        let owner = try await member()
        let guest = try await guestWithDocument()
        let choice = CollisionChoice(
            guest: try #require(AccountID(text: guest.account)), generation: 1,
            account: try #require(AccountID(text: owner.id)), at: time.now())
        let token = try choice.token(keys)
        return (
            { choice in
                _ = try await self.service.data.guestData.chooseGuestData(
                    .init(choiceToken: token, choice: choice), self.relayed(owner.token))
            },
            {
                _ = try await self.service.data.documents.writeDocuments(
                    .init(writes: [.make("settings", "other", "{}")]), self.relayed(guest.token))
            }
        )
    }
}
