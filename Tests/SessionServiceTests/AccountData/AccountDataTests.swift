import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-20, G-21: the session service's data of an account", .timeLimit(.minutes(1)))
struct AccountDataTests {
    let fixture: SessionFixture
    let account: AccountID
    let other: AccountID

    init() async throws {
        fixture = try await SessionFixture()
        account = try fixture.account()
        other = try fixture.account(43)
    }

    private func collect(
        _ id: String? = nil, from application: String = "identity"
    ) async throws -> [String: String] {
        var files: [String: [UInt8]] = [:]
        var name = ""
        let items = fixture.service.accountData.collectAccountData(
            .init(subject: .init(accountId: id ?? account.text)),
            fixture.context(from: application))
        for try await item in items {
            switch item.part {
            case .file(let begun):
                name = begun
                files[name] = []
            case .data(let bytes): files[name, default: []] += bytes
            case nil: Issue.record("an item without a part")
            }
        }
        return files.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    private func forget(
        _ id: String? = nil, from application: String = "identity"
    ) async throws -> UInt32 {
        try await fixture.service.accountData.forgetAccountData(
            .init(subject: .init(accountId: id ?? account.text)),
            fixture.context(from: application)
        ).rows
    }

    private func list(
        _ token: String = "", from application: String = "identity"
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try await fixture.service.accountData.listAccountsWithData(
            .init(pageToken: token), fixture.context(from: application))
    }

    @Test(
        "only identity may call, and not the operator's tool",
        arguments: ["tool", "gateway", "notification", "app", ""])
    func strangers(application: String) async throws {
        _ = try await fixture.open(account)
        await expectRefused(.permissionDenied) { try await collect(from: application) }
        await expectRefused(.permissionDenied) { try await forget(from: application) }
        await expectRefused(.permissionDenied) { try await list(from: application) }
        #expect(try await fixture.number("SELECT count(*) FROM session") == 1)
    }

    @Test(
        "a malformed account id or page token is refused", arguments: ["", "42", "ses_00000000001"])
    func malformed(id: String) async throws {
        await expectRefused(.invalidArgument) { try await collect(id) }
        await expectRefused(.invalidArgument) { try await forget(id) }
        guard !id.isEmpty else { return }
        await expectRefused(.invalidArgument) { try await list(id) }
    }

    @Test("G-21: the owner's sessions, open and ended, are sent with their devices; no other's")
    func collected() async throws {
        let ended = try await fixture.open(account, on: "Ada's phone")
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        _ = try await fixture.open(account, on: "Ada's tablet")
        _ = try await fixture.open(other, on: "Eve's phone")
        let files = try await collect()
        #expect(
            Set(files.keys) == ["sessions.json", "last-seen.json", "session-history.json"])
        let sessions = try #require(files["sessions.json"])
        #expect(sessions.contains("Ada's phone") && sessions.contains("Ada's tablet"))
        #expect(sessions.contains("\"is_live\":true") && sessions.contains("\"is_live\":false"))
        #expect(files["last-seen.json"]?.contains("last_seen_at") == true)
        #expect(files["session-history.json"]?.contains("session.ended") == true)
        #expect(!files.values.contains { $0.contains("Eve") })
    }

    @Test("G-21: an account without data has empty files")
    func empty() async throws {
        #expect(Set(try await collect().values) == ["[\n]\n"])
    }

    @Test("G-20: open sessions end, so that their tokens stop; no row is left; others stay")
    func forgotten() async throws {
        let ended = try await fixture.open(account)
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        let tokens = try await fixture.open(account, on: "Ada's phone")
        let kept = try await fixture.open(other, on: "Eve's phone")
        #expect(try await forget() > 0)
        #expect(!fixture.validate(tokens.accessToken).valid)
        #expect(fixture.validate(kept.accessToken).valid)
        #expect(try await fixture.number("SELECT count(*) FROM session WHERE account = 42") == 0)
        #expect(try await fixture.number("SELECT count(*) FROM session") == 1)
        #expect(try await fixture.number("SELECT count(*) FROM deleted_session") == 2)
        #expect(try await fixture.number("SELECT count(*) FROM account_seen") == 0)
        #expect(try await fixture.audited(.accountSessionsEnded) == 1)
    }

    @Test("S-07: after a restart the access tokens of a forgotten session are still refused")
    func restarted() async throws {
        let tokens = try await fixture.open(account)
        _ = try await forget()
        try await fixture.restart()
        #expect(!fixture.validate(tokens.accessToken).valid)
    }

    @Test("G-20: a repeat finds nothing")
    func repeated() async throws {
        _ = try await fixture.open(account)
        #expect(try await forget() == 2)
        #expect(try await forget() == 0)
        #expect(try await list().accounts.isEmpty)
        #expect(try await fixture.audited(.accountSessionsEnded) == 1)
    }

    @Test("G-29: tokens of a forgotten account are answered that it no longer exists")
    func answered() async throws {
        let ended = try await fixture.open(account)
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        let open = try await fixture.open(account)
        _ = try await forget()
        try await fixture.restart()
        let gone = ServiceError.sessionEnded(.accountDeleted)
        for tokens in [ended, open] {
            let state = try await fixture.inspect(tokens.accessToken)
            #expect(state.known && !state.live && state.endReason == .accountDeleted)
            #expect(state.sessionId == tokens.sessionId && state.accountId == account.text)
            await #expect(throws: gone) { try await fixture.refresh(tokens.refreshToken) }
            await #expect(throws: gone) {
                try await fixture.service.devices.listSessions(
                    .init(), fixture.context(bearing: tokens.accessToken))
            }
            // Somebody who wants to be signed out is.
            #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 0)
            #expect(try await fixture.signOut(.refreshToken(tokens.refreshToken)) == 0)
        }
        #expect(gone.userMessage == "This account no longer exists.")
    }

    @Test("G-29: the hashes are purged with ended sessions, and then the session is unknown")
    func purged() async throws {
        let tokens = try await fixture.open(account)
        _ = try await forget()
        fixture.time.advance(by: .seconds(90 * 86_400))
        try await fixture.purge()
        #expect(try await fixture.number("SELECT count(*) FROM deleted_session") == 1)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.purge()
        #expect(try await fixture.number("SELECT count(*) FROM deleted_session") == 0)
        #expect(try await !fixture.inspect(tokens.accessToken).known)
    }

    @Test("a sign-in proof from before the deletion opens no session")
    func lateProof() async throws {
        let proof = fixture.proof(account)
        fixture.time.advance(by: .milliseconds(1))
        _ = try await forget()
        await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
    }

    @Test("I-09: accounts are listed in their order with their kinds")
    func listed() async throws {
        let ended = try await fixture.open(other)
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        _ = try await fixture.open(account)
        let page = try await list()
        #expect(
            page.accounts == [
                .init(accountId: account.text, kinds: ["session"]),
                .init(accountId: other.text, kinds: ["session", "last-seen"]),
            ])
        #expect(page.nextPageToken.isEmpty)
    }

    @Test("I-09: pages have each account once")
    func pages() async throws {
        try await fixture.store.writeUnchecked { transaction in
            try transaction.put(
                """
                WITH RECURSIVE keys (key) AS (
                    SELECT 1 UNION ALL SELECT key + 1 FROM keys WHERE key < 2500)
                INSERT INTO account_seen (account, seen_at_ms) SELECT key, 1 FROM keys
                """, [])
        }
        var listed: [String] = []
        var page = try await list()
        while true {
            #expect(page.accounts.count <= AccountDataV1.ListAccountsWithDataResponse.accountsMax)
            listed += page.accounts.map(\.accountId)
            if page.nextPageToken.isEmpty { break }
            page = try await list(page.nextPageToken)
        }
        let expected = (1...2_500).compactMap { AccountID(key: Int64($0))?.text }
        #expect(listed == expected)
    }
}
