import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("I-09: mails to the owner of a suspended account", .timeLimit(.minutes(1)))
struct SuspensionMailTests {
    let fixture: IdentityFixture
    let admin: AccountAdminHandler

    init() throws {
        fixture = try IdentityFixture()
        admin = fixture.admin(NoActivity())
    }

    private var tool: CallContext { fixture.context(application: "tool") }

    private func suspend(_ account: String) async throws {
        _ = try await admin.suspendAccount(
            .init(accountId: account, reason: "reason-canary", actor: "ann"), tool)
    }

    private func restore(_ account: String) async throws {
        _ = try await admin.restoreAccount(.init(accountId: account), tool)
    }

    /// The mails about suspensions, in order.
    private var told: [NotificationV1.SendEmailRequest] {
        fixture.notifications.mails.filter { $0.template.hasPrefix("account-") }
    }

    @Test("I-09: suspending and restoring send one mail each, with the time and without the reason")
    func mails() async throws {
        let account = try await fixture.registerProved().accountId
        for _ in 0..<2 { try await suspend(account) }
        try await fixture.relay()
        let first = try #require(told.first)
        #expect(told.map(\.template) == ["account-suspended"])
        #expect(first.recipient == "ada@example.org" && first.language == "en-GB")
        #expect(
            first.variables.map { [$0.name, $0.value] } == [
                ["time", NoticeTime.text(of: fixture.time.now())]
            ])
        for _ in 0..<2 { try await restore(account) }
        try await fixture.relay()
        #expect(told.map(\.template) == ["account-suspended", "account-restored"])
    }

    @Test("N-01: repeated suspensions send a limited number of mails")
    func flood() async throws {
        let account = try await fixture.registerProved().accountId
        for _ in 0...NoticeRule.noticesMax {
            try await suspend(account)
            try await restore(account)
        }
        try await fixture.relay()
        #expect(told.count { $0.template == "account-suspended" } == NoticeRule.noticesMax)
        #expect(told.count { $0.template == "account-restored" } == NoticeRule.noticesMax)
    }

    @Test("I-09: an account without an address is suspended without a mail")
    func noAddress() async throws {
        let account = try await fixture.signInAsGuest().accountId
        try await suspend(account)
        try await fixture.relay()
        #expect(told.isEmpty)
    }
}
