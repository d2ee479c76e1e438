import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite(
    "I-09: the gateway passes on admin calls of an app's support staff to identity",
    .timeLimit(.minutes(1)))
struct AdminRelayTests {
    let fixture: GatewayFixture
    let id: String

    init() async throws {
        fixture = try await GatewayFixture(accountAdmins: [CallContext.gateway])
        id = try await fixture.signUp().account.accountId
    }

    private var support: CallContext { fixture.context(application: "support") }

    /// The actors in identity's audit trail, in order.
    private func actors() async throws -> [String] {
        try await fixture.inner.identityStore.number(.audit)
        return try await fixture.inner.identityStore.read {
            try $0.query("SELECT actor FROM audit WHERE actor IS NOT NULL ORDER BY number") {
                try $0.text(0)
            }
        }
    }

    @Test("each call is recorded with the calling application before its actor")
    func recorded() async throws {
        let admin = fixture.admin
        let found = try await admin.lookUpAccount(
            .init(showPersonalData: true, actor: "ann", by: .email("ada@example.org")), support)
        #expect(found.account?.account?.accountId == id)
        let listed = try await admin.listAccounts(.init(showPersonalData: true), support)
        #expect(listed.accounts.map { $0.account?.email } == ["ada@example.org"])
        let suspended = try await admin.suspendAccount(
            .init(accountId: id, reason: "spam", actor: "ann"), support)
        #expect(suspended.changed && suspended.account?.suspension?.reason == "spam")
        let restored = try await admin.restoreAccount(
            .init(accountId: id, actor: "tool/eve"), support)
        #expect(restored.changed)
        _ = try await admin.signOutAccount(.init(accountId: id), support)
        #expect(
            try await actors() == [
                "gateway/support/ann", "gateway/support", "gateway/support/ann",
                "gateway/support/tool/eve", "gateway/support",
            ])
    }

    @Test("A-01: the activity of an account is passed on, and each look at it is recorded")
    func activity() async throws {
        let admin = fixture.admin
        fixture.time.advance(by: .seconds(1))
        let request = GatewayV1.ListAccountActivityRequest(accountId: id, actor: "ann")
        let first = try await admin.listAccountActivity(request, support).entries
        #expect(first.compactMap { $0.entry?.kind } == ["session.started", "account.registered"])
        let second = try await admin.listAccountActivity(request, support).entries
        #expect(second.first?.entry?.kind == "account.activity-shown")
        #expect(second.first?.actor == "gateway/support/ann")
        #expect(try await actors() == ["gateway/support/ann", "gateway/support/ann"])
    }

    @Test("an application that a caller names itself is not passed on")
    func named() async throws {
        var context = support
        context.metadata[Metadata.Key.application] = "tool"
        _ = try await fixture.admin.signOutAccount(.init(accountId: id, actor: "eve"), context)
        #expect(try await actors() == ["gateway/support/eve"])
    }

    @Test("G-20, I-04: deletions and orphans are passed on")
    func lists() async throws {
        let admin = fixture.admin
        let deleted = try await admin.deleteAccount(.init(accountId: id, wait: true), support)
        #expect(deleted.deletion?.state == .waiting)
        let deletions = try await admin.listDeletions(.init(), support).deletions
        #expect(deletions.map(\.accountId) == [id])
        #expect(try await admin.listOrphans(.init(kind: "session"), support).orphans.isEmpty)
        let repaired = try await admin.repairOrphan(
            .init(kind: "account-without-profile", accountId: id), support)
        #expect(!repaired.repaired)
    }

    @Test("identity's errors name the fields of the request")
    func fields() async throws {
        let error = try await refusal {
            try await fixture.admin.listAccounts(
                .init(createdFrom: .createdFromAtMs(0)), support)
        }
        #expect(error == ServiceError(.invalidArgument, fields: ["created_from_at_ms"]))
    }

    @Test("only callers named in the list of callers may call the admin service")
    func permitted() {
        let methods = AdminDescription.service.methods
        #expect(methods.count == 13)
        #expect(methods.allSatisfy { $0.isForNamedCallersOnly })
        #expect(AuthDescription.service.methods.allSatisfy { !$0.isForNamedCallersOnly })
    }
}
