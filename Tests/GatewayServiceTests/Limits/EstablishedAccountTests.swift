import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: sign-ins of established accounts count at their site", .timeLimit(.minutes(1)))
struct EstablishedAccountTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let week: Int64 = 7 * 24 * 3_600_000

    /// An account of that age in milliseconds.
    private static func account(
        _ age: Int64, isVerified: Bool = false, number: String = "", methods: [String]
    ) -> GatewayV1.Account {
        GatewayV1.Account(
            accountId: "acc_1", email: "ada@example.org", emailVerified: isVerified,
            createdAtMs: now.milliseconds - age, methods: methods, phoneNumber: number)
    }

    @Test(
        "R-03: an account counts if it was a week old and proved",
        arguments: [
            (account(week, isVerified: true, methods: ["password"]), true),
            (account(week, number: "+4915112345678", methods: ["phone"]), true),
            (account(week, methods: ["google"]), true),
            (account(week - 1, isVerified: true, methods: ["password"]), false),
            (account(week - 1, number: "+4915112345678", methods: ["phone"]), false),
            (account(week - 1, methods: ["google"]), false),
            (account(week, methods: ["password"]), false),
            (account(week, methods: ["passkey", "password"]), false),
            (account(week, methods: []), false),
            (account(0, isVerified: true, methods: ["google"]), false),
            (account(-week, isVerified: true, methods: ["google"]), false),
            (account(.max / 2, methods: ["google"]), true),
        ] as [(GatewayV1.Account, Bool)])
    func rule(account: GatewayV1.Account, counts: Bool) {
        #expect(account.isEstablished(at: Self.now) == counts)
    }

    @Test("R-03: without the caller's address there is no site")
    func unaddressed() async throws {
        let fixture = try await GatewayFixture()
        let account = Self.account(Self.week, methods: ["google"])
        let context = fixture.context(address: nil)
        #expect(account.establishedSignIn(at: Self.now, context) == nil)
        let sent = account.establishedSignIn(at: Self.now, fixture.context())
        #expect(sent == .init(accountId: "acc_1", clientAddress: "192.0.2.7"))
    }

    @Test("R-03: a password counts from the day on that the account is a week old, not before")
    func password() async throws {
        let limits = WatchedLimits()
        let fixture = try await GatewayFixture(limits: limits)
        let ada = try await fixture.signUp()
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: ada.session.accessToken)
        fixture.time.advance(by: .milliseconds(Self.week - 1))
        _ = try await fixture.signIn()
        #expect(limits.established.isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        _ = try await fixture.signIn(in: fixture.context(address: "198.51.100.9"))
        #expect(
            limits.established == [
                .init(accountId: ada.account.accountId, clientAddress: "198.51.100.9")
            ])
    }

    @Test("R-03: an address that was never verified counts never")
    func unproved() async throws {
        let limits = WatchedLimits()
        let fixture = try await GatewayFixture(limits: limits)
        _ = try await fixture.signUp()
        fixture.time.advance(by: .milliseconds(Self.week))
        _ = try await fixture.signIn()
        #expect(limits.established.isEmpty)
    }

    @Test("R-03: a code to a phone counts too, once for each sign-in, and not for a new account")
    func phone() async throws {
        let limits = WatchedLimits()
        let fixture = try await GatewayFixture(limits: limits)
        let first = try await fixture.sentCode()
        let made = try await fixture.signInByCode(first.request, first.code)
        #expect(limits.established.isEmpty)
        fixture.time.advance(by: .milliseconds(Self.week))
        let next = try await fixture.sentCode()
        _ = try await fixture.signInByCode(next.request, next.code)
        let account = try #require(made.account)
        #expect(
            limits.established == [
                .init(accountId: account.accountId, clientAddress: "192.0.2.7")
            ])
    }

    @Test("R-03: twenty people of a school sign in; then the next class signs up")
    func school() async throws {
        let fixture = try await GatewayFixture()
        let limits = fixture.limiter
        var account = Self.account(Self.week, methods: ["google"])
        account.createdAtMs = 0
        for number in 0..<20 {
            account.accountId = "acc_\(number)"
            let charge = try await limits.begin(
                .passkey(caller: .address("192.0.2.7")), fixture.context())
            await limits.succeed(charge, signedIn: account, fixture.context())
        }
        for number in 0..<10 { _ = try await fixture.signUp("new\(number)@example.org") }
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 50)
    }
}
