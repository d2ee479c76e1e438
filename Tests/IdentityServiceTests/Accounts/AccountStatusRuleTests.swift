import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-01: the rule of an account's status, and what each status allows")
struct AccountStatusRuleTests {
    private typealias Row = (
        from: AccountStanding, event: AccountEvent, to: AccountStatus, changed: Bool
    )

    private static let active = AccountStanding()
    private static let suspended = AccountStanding(isSuspended: true)
    private static let pending = AccountStanding(awaitsVerification: true)
    private static let deleting = AccountStanding(isDeleting: true)

    /// Every cell of the rule's first truth table.
    private static let table: [Row] = [
        (active, .suspend, .suspended, true), (active, .restore, .active, false),
        (active, .verify, .active, false), (active, .beginDeletion, .deleting, true),
        (active, .cancelDeletion, .active, false),
        (active, .awaitVerification, .pendingVerification, true),
        (suspended, .awaitVerification, .suspended, true),
        (pending, .awaitVerification, .pendingVerification, false),
        (deleting, .awaitVerification, .deleting, true),
        (suspended, .suspend, .suspended, false), (suspended, .restore, .active, true),
        (suspended, .verify, .suspended, false), (suspended, .beginDeletion, .deleting, true),
        (suspended, .cancelDeletion, .suspended, false),
        (pending, .suspend, .suspended, true), (pending, .restore, .pendingVerification, false),
        (pending, .verify, .active, true), (pending, .beginDeletion, .deleting, true),
        (pending, .cancelDeletion, .pendingVerification, false),
        (deleting, .suspend, .deleting, true), (deleting, .restore, .deleting, false),
        (deleting, .verify, .deleting, false), (deleting, .beginDeletion, .deleting, false),
        (deleting, .cancelDeletion, .active, true),
        (active, .withdrawConsent, .suspended, true), (active, .consentNeeded, .active, false),
        (suspended, .withdrawConsent, .suspended, true),
        (suspended, .consentNeeded, .suspended, false),
        (pending, .withdrawConsent, .suspended, true),
        (pending, .consentNeeded, .pendingVerification, false),
        (deleting, .withdrawConsent, .deleting, true),
        (deleting, .consentNeeded, .deleting, false),
    ]

    @Test("G-23: neither a parent's suspension nor the operator's ends the other")
    func twoSuspensions() {
        for (last, status) in [
            (AccountEvent.restore, AccountStatus.suspended), (.consentNeeded, .suspended),
        ] {
            let standing = [.suspend, .withdrawConsent, last].reduce(Self.active) {
                AccountStatusRule.standing($0, after: $1)
            }
            #expect(standing.status == status, "\(last)")
        }
        let both = [AccountEvent.withdrawConsent, .suspend, .restore, .consentNeeded]
            .reduce(Self.active) { AccountStatusRule.standing($0, after: $1) }
        #expect(both == Self.active)
    }

    @Test("every cell of the truth table holds")
    func cells() {
        #expect(Self.table.count == 4 * AccountEvent.allCases.count)
        for row in Self.table {
            let after = AccountStatusRule.standing(row.from, after: row.event)
            #expect(after.status == row.to, "\(row)")
            #expect((after != row.from) == row.changed, "\(row)")
        }
    }

    @Test("cancelling a deletion does not lift a suspension, in either order")
    func noWayOut() {
        for events in [
            [AccountEvent.suspend, .beginDeletion, .cancelDeletion],
            [.beginDeletion, .suspend, .cancelDeletion], [.suspend, .verify],
            [.suspend, .beginDeletion, .verify, .cancelDeletion],
        ] {
            let standing = events.reduce(Self.pending) {
                AccountStatusRule.standing($0, after: $1)
            }
            #expect(standing.status == .suspended, "\(events)")
        }
    }

    @Test("after a restored suspension an unproved account is pending again")
    func stillPending() {
        let standing = [AccountEvent.suspend, .restore].reduce(Self.pending) {
            AccountStatusRule.standing($0, after: $1)
        }
        #expect(standing.status == .pendingVerification)
        let proved = [AccountEvent.suspend, .verify, .restore].reduce(Self.pending) {
            AccountStatusRule.standing($0, after: $1)
        }
        #expect(proved.status == .active)
    }

    @Test("suspended and deleting accounts allow nothing; pending ones allow proving the address")
    func allows() {
        let table: [(status: AccountStatus, isUsable: Bool, mayVerify: Bool)] = [
            (.active, true, true), (.pendingVerification, false, true), (.suspended, false, false),
            (.deleting, false, false),
        ]
        for row in table {
            #expect(row.status.isUsable == row.isUsable, "\(row)")
            #expect(row.status.mayVerify == row.mayVerify, "\(row)")
        }
    }

    @Test("a status has its number and its name in the protos", arguments: Int32(1)...64)
    func numbers(number: Int32) {
        let message = GatewayV1.AccountStatus(rawValue: number)
        guard let status = AccountStatus(message) else {
            #expect(message == .unrecognized(number))
            return
        }
        #expect(status.rawValue == Int64(number))
        #expect(status.message == message)
        #expect("\(status)" == "\(message)")
    }

    @Test("no status is none")
    func noStatus() {
        #expect(AccountStatus(.unspecified) == nil)
    }

    @Test("every status is read back as it was written", arguments: 0..<16)
    func stored(bits: Int) {
        let standing = AccountStanding(
            isDeleting: bits & 1 != 0, isSuspended: bits & 2 != 0, isWithdrawn: bits & 8 != 0,
            awaitsVerification: bits & 4 != 0)
        #expect(
            AccountStanding(status: standing.status, beneath: standing.beneath) == standing)
    }
}

@Suite("I-01: the stored status of an account", .timeLimit(.minutes(1)))
struct AccountStatusStoreTests {
    @Test("proving the address ends only the pending status", arguments: [1, 2, 3, 4])
    func verified(status: Int64) async throws {
        let fixture = try IdentityFixture()
        let registered = try await fixture.register().account?.accountId ?? ""
        let account = try #require(AccountID(text: registered))
        try await fixture.change("UPDATE accounts SET status = ?", [.integer(status)])
        try await fixture.store.writeUnchecked { try $0.setAddressProved(account) }
        let after = try await fixture.store.read { try $0.standing(account) }
        #expect(after?.status.rawValue == (status == 3 ? 1 : status))
        #expect(after?.awaitsVerification == false)
    }

    @Test("changing the status of an unknown account has no effect")
    func nobody() async throws {
        let fixture = try IdentityFixture()
        let nobody = try #require(AccountID(key: 4_711))
        #expect(try await fixture.store.writeUnchecked { try $0.apply(.suspend, nobody) } == false)
    }

    @Test("G-11: a reset activates an account that awaits verification")
    func reset() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register()
        try await fixture.change("UPDATE accounts SET status = 3")
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        let answer = try await fixture.credentials.resetPassword(
            .init(
                token: try fixture.latestToken("reset-password"), password: "Another7Horse",
                device: IdentityFixture.device), fixture.context())
        #expect(answer.account?.status == .active)
        #expect(answer.account?.emailVerified == true)
    }
}
