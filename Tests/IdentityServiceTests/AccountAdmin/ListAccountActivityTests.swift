import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife

@Suite("I-09: the activity of an account, for a support desk", .timeLimit(.minutes(1)))
struct ListAccountActivityTests {
    let session = GivenEvents()
    let fixture: IdentityFixture
    let admin: AccountAdminHandler
    let id: String

    init() async throws {
        fixture = try IdentityFixture(sessionEvents: session)
        admin = fixture.admin(NoActivity())
        id = try #require(try await fixture.register().account).accountId
    }

    private var tool: CallContext { fixture.context(application: "tool") }

    private func list(
        _ account: String? = nil, _ pageToken: String = "", size: UInt32 = 0
    ) async throws -> GatewayV1.ListAccountActivityResponse {
        fixture.time.advance(by: .seconds(1))
        return try await admin.listAccountActivity(
            .init(
                accountId: account ?? id, pageSize: size, pageToken: pageToken, actor: "ann"), tool)
    }

    private func happen(_ kind: AuditKind) {
        fixture.time.advance(by: .seconds(1))
        session.add(
            .init(atMs: fixture.time.now().milliseconds, kind: kind.rawValue, accountId: id))
    }

    @Test("all kinds are shown, with who acted; each look is recorded, and shown the next time")
    func all() async throws {
        happen(.refreshRepeated)
        let first = try await list().entries
        let kinds = first.compactMap { $0.entry?.kind }
        #expect(kinds == ["session.refresh-repeated", "account.registered"])
        // No owner is shown that kind.
        #expect(first[0].entry?.sentence == "" && first[1].entry?.sentence.isEmpty == false)
        #expect(first.map(\.actor) == ["", ""])
        let second = try await list().entries
        #expect(second[0].entry?.kind == "account.activity-shown")
        #expect(second[0].actor == "tool/ann")
        #expect(second[0].entry?.isCurrentSession == false)
        #expect(try await fixture.count("audit", where: "kind = 'account.activity-shown'") == 2)
    }

    @Test("it goes on in pages")
    func pages() async throws {
        for _ in 0..<5 { happen(.sessionStarted) }
        let all = try await list(size: 100).entries
        var (pageToken, seen): (String, [GatewayV1.AccountActivityEntry]) = ("", [])
        repeat {
            let page = try await list(nil, pageToken, size: 2)
            seen += page.entries
            pageToken = page.nextPageToken
        } while !pageToken.isEmpty
        // The first page begins with the look before it.
        #expect(seen.dropFirst() == all[...])
    }

    @Test("an account that does not exist, and one that was erased, is not found")
    func unknown() async throws {
        let refused = ServiceError(.notFound, fields: ["account_id"])
        #expect(try await refusal { try await list("acc_0000000000009") } == refused)
        #expect(
            try await refusal { try await list("x") }
                == ServiceError(.invalidArgument, fields: ["account_id"]))
        #expect(try await fixture.count("audit", where: "kind = 'account.activity-shown'") == 0)
    }

    @Test("nothing is recorded and shown to those who may not, and while session is away")
    func refused() async throws {
        for application in ["", "gateway", "session", "app"] {
            let context = fixture.context(application: application)
            #expect(
                try await refusal {
                    try await admin.listAccountActivity(.init(accountId: id), context)
                }
                    == ServiceError.notNamed(
                        application, by: "account-admins", of: "identity"))
        }
        let away = ServiceError(.unavailable, unavailablePart: "session")
        session.fail(away)
        #expect(try await refusal { try await list() } == away)
        #expect(try await fixture.count("audit", where: "kind = 'account.activity-shown'") == 0)
    }
}
