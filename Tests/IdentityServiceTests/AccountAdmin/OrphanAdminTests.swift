import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife

@Suite("I-04, I-09: operators list and repair orphans", .timeLimit(.minutes(1)))
struct OrphanAdminTests {
    let fixture: IdentityFixture
    let admin: AccountAdminHandler

    init() throws {
        fixture = try IdentityFixture()
        admin = fixture.admin(NoActivity())
    }

    private var tool: CallContext { fixture.context(application: "tool") }

    private func list(
        _ kind: String = "", token: String = ""
    ) async throws -> GatewayV1.ListOrphansResponse {
        try await admin.listOrphans(.init(kind: kind, pageToken: token), tool)
    }

    /// A check of a service that has found so many accounts of each kind.
    private func find(_ kinds: [OrphanKind], accounts: Int64, at service: OrphanService) throws {
        var found = OrphanFindings.Found()
        for key in 0..<accounts {
            for kind in kinds {
                // Not in the order of keys, as over several tables.
                let account = try #require(AccountID(key: accounts - key))
                found.add(Orphan(kind: kind, account: account, isRepairable: true))
            }
        }
        admin.orphans.findings.replace(
            service.kinds, with: found, endedAt: fixture.time.now())
    }

    @Test("only the operator's tool and the configured applications may call")
    func strangers() async throws {
        for application in ["", "gateway", "app"] {
            let context = fixture.context(application: application)
            let expected = ServiceError.notNamed(
                application, by: "account-admins", of: "identity")
            #expect(try await refusal { try await admin.listOrphans(.init(), context) } == expected)
            #expect(
                try await refusal {
                    try await admin.repairOrphan(.init(kind: "session"), context)
                } == expected)
            #expect(
                try await refusal { try await admin.listUnusedGuests(.init(), context) }
                    == expected)
        }
    }

    @Test("the time of the check is 0 until each service was checked, then that of the oldest")
    func checkedAt() async throws {
        let first = fixture.time.now()
        for service in OrphanService.allCases {
            #expect(try await list().checkedAtMs == 0)
            try find([], accounts: 0, at: service)
            fixture.time.advance(by: .seconds(1))
        }
        #expect(try await list().checkedAtMs == first.milliseconds)
    }

    @Test("pages have all orphans once, in the order of kinds and accounts, also of one kind")
    func pages() async throws {
        try find([.session, .lastSeen], accounts: 450, at: .session)
        try find([.profile], accounts: 1, at: .identity)
        for (kind, count) in [("", 901), ("last-seen", 450), ("push-device", 0)] {
            var (found, token, pages) = ([GatewayV1.Orphan](), "", 0)
            repeat {
                let page = try await list(kind, token: token)
                #expect(page.orphans.count <= 200)
                found += page.orphans
                token = page.nextPageToken
                pages += 1
            } while !token.isEmpty && pages < 10
            #expect(found.count == count, "\(kind)")
            #expect(Set(found.map { "\($0.kind) \($0.accountId)" }).count == count)
        }
        let first = try #require(try await list().orphans.first)
        #expect(
            first
                == .init(
                    kind: "profile-without-account", accountId: "acc_0000000000001",
                    service: "identity", repairable: true))
    }

    @Test("an unknown kind, a malformed token and a kind that cannot be repaired are refused")
    func invalid() async throws {
        #expect(try await refusal { try await list("hologram") }.fields == ["kind"])
        for token in ["x", "session", "session/", "session/7", "hologram/acc_0000000000001"] {
            let error = try await refusal { try await list(token: token) }
            #expect(error.fields == ["page_token"], "\(token)")
        }
        for kind in ["", "hologram", "account-without-key", "account-without-way-in"] {
            let error = try await refusal {
                try await admin.repairOrphan(
                    .init(kind: kind, accountId: "acc_0000000000001"), tool)
            }
            #expect(error.code == .invalidArgument && error.fields == ["kind"], "\(kind)")
        }
        let error = try await refusal {
            try await admin.repairOrphan(.init(kind: "session", accountId: "7"), tool)
        }
        #expect(error.fields == ["account_id"])
    }

    @Test("an account without a profile can be repaired at once, with the operator on record")
    func profile() async throws {
        let id = try #require(try await fixture.register().account).accountId
        let request = GatewayV1.RepairOrphanRequest(
            kind: "account-without-profile", accountId: id, actor: "ann")
        #expect(try await !admin.repairOrphan(request, tool).repaired)
        try await fixture.change("DELETE FROM profiles")
        #expect(try await admin.repairOrphan(request, tool).repaired)
        #expect(try await fixture.signIn().account?.accountId == id)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'orphan.repaired' AND actor = 'tool/ann'") == 1)
    }

    @Test("a repair at a service that is away is refused and changes nothing")
    func away() async throws {
        fixture.sessionData.fail(.unavailable)
        let error = try await refusal {
            try await admin.repairOrphan(
                .init(kind: "session", accountId: "acc_0000000000001"), tool)
        }
        #expect(error.code == .unavailable)
        #expect(try await fixture.audited("orphan.repaired") == 0)
    }
}
