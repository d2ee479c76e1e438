import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly

@Suite("I-09: data of other services without an account is found", .timeLimit(.minutes(1)))
struct OrphansElsewhereTests {
    let fixture: IdentityFixture
    let check: OrphansElsewhere
    let findings: OrphanFindings
    let ada: String

    init() async throws {
        fixture = try IdentityFixture()
        findings = fixture.service.life.accountAdmin.orphans.findings
        ada = try #require(try await fixture.register().account).accountId
        check = OrphansElsewhere(
            holders: [
                .init(service: .session, data: fixture.sessionData),
                .init(service: .notification, data: fixture.notificationData),
            ], store: fixture.store, time: fixture.time,
            logger: fixture.log.logger(time: fixture.time), findings: findings)
    }

    private func run() async throws {
        while try await check.step() {}
    }

    private func gauge(_ kind: String) -> Double? {
        let line = fixture.metrics.prometheusText().split(separator: "\n").first {
            $0.contains("identity_orphans{") && $0.contains("\"\(kind)\"")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    private func logged(_ event: String) -> Int {
        fixture.log.lines.count { $0.contains(event) }
    }

    @Test("an account that exists is no orphan; others are counted by kind, over all pages")
    func counted() async throws {
        fixture.sessionData.list([
            .init(accountId: ada, kinds: ["session", "last-seen"]),
            .init(accountId: "acc_0000000000001", kinds: ["session", "last-seen"]),
            .init(accountId: "acc_0000000000002", kinds: ["last-seen"]),
        ])
        fixture.notificationData.list([
            .init(accountId: "acc_0000000000003", kinds: ["push-device"])
        ])
        try await run()
        #expect(gauge("session") == 1 && gauge("last-seen") == 2 && gauge("push-device") == 1)
        #expect(logged("identity.orphans.elsewhere") == 2)
        // Each of the two pages has an orphan, so it was read twice.
        #expect(fixture.sessionData.calls == 4)
        fixture.sessionData.list([.init(accountId: ada, kinds: ["session"])])
        try await run()
        #expect(gauge("session") == 0 && gauge("last-seen") == 0)
    }

    @Test("an account whose deletion ends while its page is looked at is no orphan")
    func deletedMeanwhile() async throws {
        let (gone, orphan) = ("acc_0000000000001", "acc_0000000000002")
        fixture.sessionData.list([
            .init(accountId: gone, kinds: ["session", "last-seen"]),
            .init(accountId: orphan, kinds: ["session"]),
        ])
        fixture.sessionData.removeOnceListed([gone])
        try await run()
        #expect(gauge("session") == 1 && gauge("last-seen") == 0)
        #expect(listed() == ["session \(orphan)"])
    }

    private func listed() -> [String] {
        findings.orphans(of: nil, after: nil, limit: 100).map {
            "\($0.kind.rawValue) \($0.account.text)"
        }
    }

    @Test("what is found is listed and is deleted at its service by its repair only, on record")
    func repaired() async throws {
        let (one, two) = ("acc_0000000000001", "acc_0000000000002")
        fixture.sessionData.list([
            .init(accountId: ada, kinds: ["session"]),
            .init(accountId: one, kinds: ["session", "last-seen"]),
        ])
        fixture.notificationData.list([.init(accountId: two, kinds: ["push-device"])])
        try await run()
        #expect(listed() == ["session \(one)", "last-seen \(one)", "push-device \(two)"])
        let admin = fixture.admin(NoActivity())
        let tool = fixture.context(application: "tool")
        for (kind, account) in [("session", one), ("push-device", two)] {
            let request = GatewayV1.RepairOrphanRequest(
                kind: kind, accountId: account, actor: "ann")
            #expect(try await admin.repairOrphan(request, tool).repaired)
            #expect(try await !admin.repairOrphan(request, tool).repaired)
        }
        #expect(listed().isEmpty && gauge("last-seen") == 0)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'orphan.repaired' AND actor = 'tool/ann'") == 2)
        // Data of an account that exists is not touched.
        let kept = try await admin.repairOrphan(.init(kind: "session", accountId: ada), tool)
        #expect(!kept.repaired)
        try await run()
        #expect(fixture.sessionData.calls > 0 && gauge("session") == 0)
        let answer = try await fixture.sessionData.listAccountsWithData(
            .init(), fixture.context(application: "identity"))
        #expect(answer.accounts.map(\.accountId) == [ada])
    }

    @Test("a malformed id and a kind of a newer version are not counted")
    func unknown() async throws {
        fixture.sessionData.list([
            .init(accountId: "7", kinds: ["session"]),
            .init(accountId: "acc_0000000000001", kinds: ["hologram"]),
        ])
        try await run()
        #expect(gauge("session") == 0)
        #expect(!fixture.metrics.prometheusText().contains("hologram"))
    }

    @Test("a service that does not answer is logged once, its count stays, the other is asked")
    func away() async throws {
        fixture.sessionData.list([.init(accountId: "acc_0000000000001", kinds: ["session"])])
        try await run()
        fixture.sessionData.fail(.unavailable)
        fixture.notificationData.list([
            .init(accountId: "acc_0000000000003", kinds: ["push-device"])
        ])
        for _ in 0..<3 { try await run() }
        #expect(gauge("session") == 1 && gauge("push-device") == 1)
        #expect(logged("identity.orphans.peer_failed") == 1)
        fixture.sessionData.fail(nil)
        fixture.sessionData.list([])
        try await run()
        #expect(gauge("session") == 0)
        fixture.sessionData.fail(.unavailable)
        try await run()
        #expect(logged("identity.orphans.peer_failed") == 2)
    }

    @Test("a service that names page after page does not keep the check busy")
    func endless() async throws {
        fixture.sessionData.list(
            [AccountDataV1.AccountWithData](
                repeating: .init(accountId: ada, kinds: ["session"]),
                count: 2 * OrphansElsewhere.pagesMax + 1))
        try await run()
        #expect(fixture.sessionData.calls == OrphansElsewhere.pagesMax)
        #expect(fixture.notificationData.calls == 1)
        // The next run reads the rest.
        try await run()
        #expect(fixture.sessionData.calls == OrphansElsewhere.pagesMax + 1)
        #expect(gauge("session") == 0)
    }
}
