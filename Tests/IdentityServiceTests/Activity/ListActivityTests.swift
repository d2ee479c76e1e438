import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("A-01, G-22: the activity of an account, for its owner", .timeLimit(.minutes(1)))
struct ListActivityTests {
    let session = GivenEvents()
    let fixture: IdentityFixture
    let id: String
    let token: String

    init() async throws {
        fixture = try IdentityFixture(sessionEvents: session)
        id = try #require(try await fixture.register().account).accountId
        token = fixture.devices.open(id)
    }

    private func list(
        _ pageToken: String = "", size: UInt32 = 0, by token: String? = nil,
        language: String = "en"
    ) async throws -> GatewayV1.ListActivityResponse {
        var context = fixture.relayed(token ?? self.token)
        context.metadata[Metadata.Key.acceptLanguage] = language
        return try await fixture.service.core.activity.listActivity(
            .init(pageToken: pageToken, pageSize: size), context)
    }

    /// What session's trail has of an account, a second later than all before.
    private func happen(_ kind: AuditKind, to account: String? = nil, in session: String = "") {
        fixture.time.advance(by: .seconds(1))
        self.session.add(
            .init(
                atMs: fixture.time.now().milliseconds, kind: kind.rawValue,
                accountId: account ?? id, sessionId: session, country: "DE"))
    }

    /// What identity's trail has of the account, a second later than all before.
    private func happen(_ event: AuditEvent) async throws {
        fixture.time.advance(by: .seconds(1))
        try await fixture.store.writeUnchecked { try $0.audit(event) }
    }

    private var account: Int64 {
        get throws { try #require(AccountID(text: id)).key }
    }

    @Test("the records of identity and session are merged by time, with their sentences")
    func merged() async throws {
        let current = fixture.devices.session(of: token)
        happen(.sessionStarted, in: current)
        var signIn = AuditEvent(.signInSucceeded, account: try account, detail: .method("google"))
        signIn.country = "FR"
        signIn.agent = "firefox 131, linux"
        signIn.app = "shop-web"
        try await happen(signIn)
        happen(.sessionStarted, in: "ses_0000000000009")
        let page = try await list(language: "de-formal")
        #expect(
            page.entries.map(\.kind) == [
                "session.started", "sign-in.succeeded", "session.started", "account.registered",
            ])
        #expect(page.entries.map(\.isCurrentSession) == [false, false, true, false])
        #expect(page.entries[0].sessionId == "ses_0000000000009")
        #expect(page.entries[0].country == "DE")
        #expect(page.nextPageToken.isEmpty)
        let entry = page.entries[1]
        #expect(entry.detail == "google" && entry.country == "FR" && entry.app == "shop-web")
        #expect(entry.agent == "firefox 131, linux" && entry.outcome.isEmpty)
        #expect(entry.sentence == "Sie haben sich angemeldet (Google).")
        #expect(entry.atMs == fixture.time.now().milliseconds - 1_000)
        #expect(
            try await list(language: "ja").entries[1].sentence == "ログインしました（Google）。")
    }

    @Test("pages go on where the one before ended, in both trails, whatever has happened since")
    func pages() async throws {
        for number in 0..<10 {
            happen(.sessionStarted, in: "ses_000000000000\(number)")
            try await happen(AuditEvent(.signInSucceeded, account: try account))
        }
        let all = try await list(size: 100).entries
        #expect(all.count == 21)
        var (pageToken, seen): (String, [GatewayV1.ActivityEntry]) = ("", [])
        repeat {
            let page = try await list(pageToken, size: 4)
            #expect(page.entries.count <= 4)
            seen += page.entries
            pageToken = page.nextPageToken
            happen(.sessionEnded)
        } while !pageToken.isEmpty
        #expect(seen == all)
    }

    @Test("a page has 50 entries unless it is asked for others, and 100 at most")
    func sizes() async throws {
        for _ in 0..<120 { happen(.sessionStarted) }
        #expect(try await list().entries.count == 50)
        #expect(try await list(size: 1).entries.count == 1)
        #expect(try await list(size: 10_000).entries.count == 100)
    }

    @Test("kinds that are not in the list are not shown, and who acted never is")
    func hidden() async throws {
        happen(.sessionRefreshed)
        happen(.refreshRepeated)
        try await happen(AuditEvent(.documentWritten, account: try account, attempt: 3))
        try await happen(AuditEvent(.accountShown, account: try account).by("tool/ann"))
        let page = try await list()
        #expect(page.entries.map(\.kind) == ["account.shown", "account.registered"])
        #expect(page.entries.allSatisfy { !$0.sentence.isEmpty && !"\($0)".contains("ann") })
    }

    @Test("another account sees nothing of it, also by a token of a page")
    func others() async throws {
        for _ in 0..<3 { happen(.sessionStarted) }
        let first = try await list(size: 1)
        let other = try #require(try await fixture.register("eve@example.org").account).accountId
        let eve = fixture.devices.open(other)
        #expect(try await list(by: eve).entries.map(\.kind) == ["account.registered"])
        let refused = ServiceError(.invalidArgument, fields: ["page_token"])
        #expect(try await refusal { try await list(first.nextPageToken, by: eve) } == refused)
        let foreign = try fixture.keys.choices.token(
            of: [try account, 9, 9], at: .init(purpose: "identity/activity-page"))
        for text in ["x", "1", id, "\(first.nextPageToken)A", foreign] {
            #expect(try await refusal { try await list(text) } == refused, "\(text)")
        }
    }

    @Test("without session there is no page, not half of one")
    func away() async throws {
        let away = ServiceError(.unavailable, unavailablePart: "session")
        session.fail(away)
        #expect(try await refusal { try await list() } == away)
        session.fail(nil)
        #expect(try await list().entries.count == 1)
    }

    @Test("a guest has an activity too")
    func guest() async throws {
        let guest = try await fixture.signInAsGuest().accountId
        let token = fixture.devices.open(guest, amr: ["anon"])
        happen(.sessionStarted, to: guest)
        #expect(
            try await list(by: token).entries.map(\.kind)
                == ["session.started", "account.guest-registered"])
    }
}
