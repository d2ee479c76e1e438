import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("I-04: the session service reports when many accounts were used")
struct ListAccountActivityTests {
    let fixture: SessionFixture

    init() async throws { fixture = try await SessionFixture() }

    private func list(
        _ accounts: [String], from application: String = "identity"
    ) async throws -> [GatewayV1.AccountActivity] {
        try await fixture.service.accountActivity.listAccountActivity(
            .init(accountIds: accounts), fixture.context(from: application)
        ).activities
    }

    @Test("only the service that stores accounts may call", arguments: ["gateway", "app", ""])
    func strangers(application: String) async throws {
        await expectRefused(.permissionDenied) { try await list([], from: application) }
        #expect(try await list([], from: "tool").isEmpty)
    }

    @Test("each is as in GetAccountActivity, in the order of the request; empty if not known")
    func order() async throws {
        let accounts = try (1...250).map { try fixture.account($0) }
        for place in [3, 120, 249] { _ = try await fixture.open(accounts[place]) }
        let ended = try await fixture.open(accounts[4])
        fixture.time.advance(by: .seconds(60))
        let again = try await fixture.open(accounts[120])
        fixture.time.advance(by: .seconds(60))
        // A mark that is not on disk yet.
        #expect(fixture.validate(again.accessToken).valid)
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        let listed = try await list(accounts.map(\.text))
        #expect(listed.count == accounts.count)
        for (account, activity) in zip(accounts, listed) {
            let single = try await fixture.service.accountActivity.getAccountActivity(
                .init(accountId: account.text), fixture.context(from: "identity"))
            #expect(activity == single.activity)
        }
        #expect(listed[120].liveSessions == 2 && listed[4].liveSessions == 0)
        #expect(listed[4].lastSeen != nil && listed[0] == .init())
        #expect(listed.count { $0.liveSessions > 0 } == 3)
    }

    @Test("a malformed id, and more than 1,000, are refused")
    func invalid() async throws {
        let account = try fixture.account().text
        await expectRefused(.invalidArgument) { try await list([account, "7"]) }
        let most = [String](repeating: account, count: AccountActivityHandler.accountsMax)
        #expect(try await list(most).count == most.count)
        await expectRefused(.invalidArgument) { try await list(most + [account]) }
    }
}
