import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife

@Suite("I-09: listing accounts in pages", .timeLimit(.minutes(1)))
struct ListAccountsTests {
    let fixture: IdentityFixture
    let admin: AccountAdminHandler
    let begin: Int64

    init() async throws {
        fixture = try IdentityFixture()
        admin = fixture.admin(NoActivity())
        begin = fixture.time.now().milliseconds
        for number in 0..<7 {
            _ = try await fixture.register("p\(number)@example.org")
            fixture.time.advance(by: .seconds(1))
        }
    }

    private func list(
        _ request: GatewayV1.ListAccountsRequest = .init()
    ) async throws -> GatewayV1.ListAccountsResponse {
        try await admin.listAccounts(request, fixture.context(application: "tool"))
    }

    private func emails(_ request: GatewayV1.ListAccountsRequest) async throws -> Set<String> {
        var request = request
        request.showPersonalData = true
        return Set(try await list(request).accounts.compactMap { $0.account?.email })
    }

    @Test("the pages list each account once, masked")
    func pages() async throws {
        var request = GatewayV1.ListAccountsRequest(pageSize: 3)
        var seen: [String] = []
        repeat {
            let page = try await list(request)
            #expect(page.accounts.count <= 3)
            #expect(page.accounts.allSatisfy { $0.account?.email == "p…@example.org" })
            seen += page.accounts.compactMap { $0.account?.accountId }
            request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        #expect(seen.count == 7 && Set(seen).count == 7)
        #expect(try await fixture.count("audit", where: "kind = 'account.list-shown'") == 0)
    }

    @Test("B17: an account that cannot be decrypted is logged and left out of the page")
    func unreadable() async throws {
        let first = try #require(
            try await fixture.store.read { session in
                try session.queryOne("SELECT min(account) FROM accounts") { try $0.integer(0) }
            })
        try await fixture.change(
            "UPDATE account_keys SET sealed_key = zeroblob(64) WHERE account = ?",
            [.integer(first)])
        let answer = try await list()
        let id = try #require(AccountID(key: first)).text
        #expect(answer.accounts.count == 6)
        #expect(!answer.accounts.contains { $0.account?.accountId == id })
        #expect(fixture.log.lines.contains { $0.contains(id) && $0.contains("left out") })
    }

    @Test("filters by status, creation and last sign-in include `from` and exclude `before`")
    func filters() async throws {
        #expect(
            try await emails(.init(createdFrom: .createdFromAtMs(begin + 5_000)))
                == ["p5@example.org", "p6@example.org"])
        #expect(
            try await emails(.init(createdBefore: .createdBeforeAtMs(begin + 1_000)))
                == ["p0@example.org"])
        #expect(
            try await emails(
                .init(
                    createdFrom: .createdFromAtMs(begin + 1_000),
                    createdBefore: .createdBeforeAtMs(begin + 2_000))) == ["p1@example.org"])
        _ = try await fixture.signIn("p3@example.org")
        #expect(
            try await emails(.init(signedInFrom: .signedInFromAtMs(begin + 6_500)))
                == ["p3@example.org"])
        try await fixture.change(
            "UPDATE accounts SET last_sign_in_at_ms = NULL, status = 2 WHERE created_at_ms = ?",
            [.integer(begin)])
        #expect(
            try await emails(.init(signedInBefore: .signedInBeforeAtMs(begin + 1)))
                == ["p0@example.org"])
        #expect(try await emails(.init(status: .suspended)) == ["p0@example.org"])
        #expect(try await emails(.init(status: .deleting)) == [])
    }

    @Test("showing emails is audited with the number of accounts")
    func shown() async throws {
        _ = try await emails(.init(pageSize: 5, actor: "ann"))
        let rows = try await fixture.store.read {
            try $0.query("SELECT actor, attempt FROM audit WHERE kind = 'account.list-shown'") {
                $0.values
            }
        }
        #expect(rows == [[.text("tool/ann"), .integer(5)]])
    }

    @Test("an invalid page or status is refused")
    func refused() async throws {
        for (request, field) in [
            (GatewayV1.ListAccountsRequest(pageToken: "7"), "page_token"),
            (.init(status: .unrecognized(9)), "status"),
        ] {
            let error = try await refusal { try await list(request) }
            #expect(error == ServiceError(.invalidArgument, fields: [field]))
        }
    }

    @Test("a bound of 0 or less is refused and never means that there is no bound")
    func bounds() async throws {
        for moment: Int64 in [0, -1, .min] {
            let requests: [(GatewayV1.ListAccountsRequest, String)] = [
                (.init(createdFrom: .createdFromAtMs(moment)), "created_from_at_ms"),
                (.init(createdBefore: .createdBeforeAtMs(moment)), "created_before_at_ms"),
                (.init(signedInFrom: .signedInFromAtMs(moment)), "signed_in_from_at_ms"),
                (.init(signedInBefore: .signedInBeforeAtMs(moment)), "signed_in_before_at_ms"),
            ]
            for (request, field) in requests {
                let error = try await refusal { try await list(request) }
                #expect(error == ServiceError(.invalidArgument, fields: [field]))
            }
        }
        #expect(try await list(.init(createdFrom: .createdFromAtMs(1))).accounts.count == 7)
    }

    @Test("an empty page of a rare match still names the next page")
    func window() async throws {
        try await fixture.change(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
            INSERT INTO accounts (account, status, created_at_ms) SELECT i, 1, 1 FROM n
            """)
        try await fixture.change(
            "UPDATE accounts SET status = 2 WHERE created_at_ms = ?", [.integer(begin)])
        var request = GatewayV1.ListAccountsRequest(status: .suspended)
        var (pages, found) = (0, 0)
        repeat {
            let page = try await list(request)
            (pages, found) = (pages + 1, found + page.accounts.count)
            request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty && pages < 10
        #expect(pages == 3 && found == 1)
    }
}

@Suite("I-09: masked addresses and numbers")
struct MaskedTextTests {
    @Test(
        "a masked address keeps its first character and its domain",
        arguments: [
            ("ada@example.org", "a…@example.org"), ("a@b", "a…@b"), ("", ""), ("@b", "…"),
            ("nobody", "…"), ("\"a@b\"@example.org", "\"…@example.org"),
        ])
    func email(address: String, masked: String) {
        #expect(AccountAdminHandler.MaskedText.email(address) == masked)
    }

    @Test(
        "a masked number keeps its first and last two digits",
        arguments: [
            ("+4915112345678", "+49…78"), ("+1234567", "+12…67"), ("+12", "…"), ("", ""),
        ])
    func phone(number: String, masked: String) {
        #expect(AccountAdminHandler.MaskedText.phone(number) == masked)
    }
}
