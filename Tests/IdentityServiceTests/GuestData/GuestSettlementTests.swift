import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-16, G-27: what becomes of a guest that signs in", .timeLimit(.minutes(1)))
struct GuestSettlementTests {
    private let json = #"{"x":1}"#

    @Test("discard: the guest is deleted, its session ends, and the answer says so")
    func discard() async throws {
        let fixture = try await GuestDataFixture(.discard)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        let collision = try #require(try await fixture.signIn().collision)
        #expect(collision.guest?.accountId == fixture.guest.account)
        #expect(collision.choice == .discard && collision.choiceToken.isEmpty)
        #expect(collision.migration?.state == .succeeded && collision.migration?.documents == 0)
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.identity.audited("guest-data.chosen") == 1)
        #expect(try await fixture.documents(fixture.token).isEmpty)
        #expect(try await refusal { try await fixture.signIn() }.code == .accountDisabled)
    }

    @Test(
        "a guest without documents is deleted, and there is no collision",
        arguments: [
            GuestDataMode.discard, .ask, .merge, .keep,
        ])
    func empty(mode: GuestDataMode) async throws {
        let fixture = try await GuestDataFixture(mode)
        #expect(try await fixture.signIn().collision == nil)
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.identity.count("guest_migrations") == 0)
    }

    @Test("merge: the migration begins with the sign-in, and the guest ends with the migration")
    func merge() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        let collision = try #require(try await fixture.signIn().collision)
        #expect(collision.choice == .merge && collision.migration?.state == .waiting)
        #expect(try await !fixture.isGuestEnding())
        try await fixture.handler.job.run()
        #expect(try await fixture.migration().state == .succeeded)
        #expect(try await fixture.documents(fixture.token) == ["settings/main": json])
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.identity.audited("guest-data.migrated") == 1)
    }

    @Test("keep: the guest can be read for 30 days and not be written; then it is deleted")
    func keep() async throws {
        let fixture = try await GuestDataFixture(.keep)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        let collision = try #require(try await fixture.signIn().collision)
        #expect(collision.choice == .keep && collision.migration?.state == .succeeded)
        #expect(try await fixture.documents(fixture.ofGuest) == ["settings/main": json])
        let refused = try await refusal {
            try await fixture.write("{}", "main", by: fixture.ofGuest)
        }
        #expect(refused.code == .operationNotAllowed)
        let renamed = try await refusal {
            try await fixture.identity.service.data.profiles.updateProfile(
                .init(name: .displayName("Ada")), fixture.identity.relayed(fixture.ofGuest))
        }
        #expect(renamed.code == .operationNotAllowed)
        let time = fixture.identity.time
        time.advance(by: GuestSettlement.keptFor - .seconds(1))
        try await fixture.handler.job.run()
        #expect(try await !fixture.isGuestEnding())
        time.advance(by: .seconds(1))
        try await fixture.handler.job.run()
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.identity.count("guest_migrations") == 1)
        time.advance(by: StoredMigration.keptAfter + .seconds(1))
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("guest_migrations") == 0)
    }

    @Test("keep: a suspended guest is deleted when it is restored, not before")
    func suspended() async throws {
        let fixture = try await GuestDataFixture(.keep)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        try await fixture.apply(.suspend)
        fixture.identity.time.advance(by: GuestSettlement.keptFor + .seconds(1))
        try await fixture.handler.job.run()
        #expect(try await !fixture.isGuestEnding())
        try await fixture.apply(.restore)
        try await fixture.handler.job.run()
        #expect(try await fixture.isGuestEnding())
    }

    @Test("keep: a guest that becomes an account is kept for ever, and its row is purged")
    func keptAndUpgraded() async throws {
        let fixture = try await GuestDataFixture(.keep)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        _ = try await fixture.identity.signIn(
            by: .token("n1", email: "new@example.org"), guest: fixture.ofGuest)
        fixture.identity.time.advance(by: StoredMigration.keptAfter + .seconds(1))
        try await fixture.handler.job.run()
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("guest_migrations") == 0)
        #expect(try await !fixture.isGuestEnding())
    }

    @Test(
        "G-20: a guest that was kept, or whose documents wait, is deleted with the account",
        arguments: [GuestDataMode.keep, .merge])
    func accountDeleted(mode: GuestDataMode) async throws {
        let fixture = try await GuestDataFixture(mode)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        let (identity, ids) = (
            fixture.identity,
            [fixture.account, fixture.guest.account].compactMap(AccountID.init(text:))
        )
        try await identity.requestDeletion(IdentityFixture.caller(fixture.token))
        await identity.performDeletion(of: ids[0])
        #expect(try await !identity.exists(ids[0]))
        #expect(try await fixture.isGuestEnding())
        await identity.performDeletion(of: ids[1])
        #expect(try await !identity.exists(ids[1]))
        #expect(try await identity.count("documents") == 0)
    }

    @Test("G-20: a suspended guest is the operator's to delete, also when the account is deleted")
    func accountDeletedOfSuspended() async throws {
        let fixture = try await GuestDataFixture(.keep)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        try await fixture.apply(.suspend)
        let account = try #require(AccountID(text: fixture.account))
        try await fixture.identity.requestDeletion(IdentityFixture.caller(fixture.token))
        await fixture.identity.performDeletion(of: account)
        #expect(try await !fixture.identity.exists(account))
        #expect(try await !fixture.isGuestEnding())
    }

    @Test("ask: nothing happens until the user chooses, and a kept guest goes on")
    func ask() async throws {
        let fixture = try await GuestDataFixture(.ask)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        let collision = try #require(try await fixture.signIn().collision)
        #expect(!collision.choiceToken.isEmpty && collision.migration == nil)
        #expect(collision.choice == .unspecified)
        try await fixture.write("{}", "other", by: fixture.ofGuest)
        #expect(try await !fixture.isGuestEnding())
    }

    @Test("G-27: a password reset in a guest's session has the collision, and so has its repeat")
    func reset() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        let identity = fixture.identity
        _ = try await identity.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), identity.context())
        try await identity.relay()
        let request = GatewayV1.ResetPasswordRequest(
            token: try identity.latestToken("reset-password"),
            password: .init(text: "Another8Horse"), device: IdentityFixture.device)
        let context = identity.relayed(fixture.ofGuest, "k")
        let first = try await identity.credentials.resetPassword(request, context)
        #expect(first.account?.accountId == fixture.account)
        #expect(first.collision?.guest?.accountId == fixture.guest.account)
        #expect(first.collision?.choice == .merge)
        let again = try await identity.credentials.resetPassword(request, context)
        #expect(again.collision == first.collision)
    }

    @Test("G-27: a reset in the session of an account, or of none, has no collision")
    func resetWithoutGuest() async throws {
        let fixture = try await GuestDataFixture(.merge)
        let identity = fixture.identity
        for token in [fixture.token, nil] {
            _ = try await identity.credentials.requestPasswordReset(
                .init(email: "ada@example.org", device: IdentityFixture.device),
                identity.context())
            try await identity.relay()
            let answer = try await identity.credentials.resetPassword(
                .init(
                    token: try identity.latestToken("reset-password"),
                    password: .init(text: "Another8Horse"), device: IdentityFixture.device),
                identity.relayed(token))
            #expect(answer.collision == nil)
        }
    }

    @Test("a guest whose documents go to one account can sign in to another without a collision")
    func another() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        let first = try #require(try await fixture.signIn().collision)
        let again = try #require(try await fixture.signIn().collision)
        #expect(again.migration?.migrationId == first.migration?.migrationId)
        let other = try await fixture.identity.signIn(
            by: .token("b1", email: "bob@example.org"))
        #expect(other.isNewUser)
        let signedIn = try await fixture.identity.signIn(
            by: .token("b1", email: "bob@example.org"), guest: fixture.ofGuest)
        #expect(signedIn.account?.accountId == other.account?.accountId)
        #expect(signedIn.collision == nil)
    }

    @Test("G-07: a guest that becomes an account keeps what was not moved, and can write again")
    func upgraded() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write(json, "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        let upgraded = try await fixture.identity.signIn(
            by: .token("n1", email: "new@example.org"), guest: fixture.ofGuest)
        #expect(upgraded.isUpgraded && upgraded.account?.accountId == fixture.guest.account)
        try await fixture.handler.job.run()
        #expect(try await fixture.migration().state == .succeeded)
        #expect(try await fixture.documents(fixture.token).isEmpty)
        #expect(try await !fixture.isGuestEnding())
        let token = fixture.identity.devices.open(fixture.guest.account)
        try await fixture.write("{}", "other", by: token)
        #expect(try await fixture.documents(token).count == 2)
    }
}
