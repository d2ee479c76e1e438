import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// A flow that only forwards is a second copy of what its owner serves: it is to be passed on
/// (`postern.options.v1.owner`).
@Suite("The calls to other services that a public call makes", .timeLimit(.minutes(2)))
struct InnerCallTests {
    private static let methods = ServiceDescription.ofGateway.flatMap(\.methods)

    /// Flows that make one call beside at most one charge, and why the gateway has them.
    private static let exceptions = [
        "Emails/ConfirmEmailChange": "by the answer it forgets the email's former devices"
    ]

    /// Composed methods that take no idempotency key, and what they do beside a call.
    private static let others = [
        "Auth/CheckAuthState": "knows the session by the feed, and makes one answer of two",
        "AccountSessions/CheckRecentProof": "judges the proofs, and asks identity to refuse",
        "Consents/RequestParentalConsent": "charges twice",
        "DataExports/RequestDataExport": "reads first whether there is one",
        "ProviderNotices/DescribeProviderOutcome": "answers by itself",
        "Verification/WatchRevocations": "has one subscription for all followers",
    ]

    /// Whether a flow that made these calls only forwards: one call beside at most one to the rate
    /// limiter. Calls that judge the access token do not count.
    private static func forwards(_ calls: [MethodDescription]) -> Bool {
        let judging = [
            SessionsDescription.validateAccessToken, SessionsDescription.inspectSession,
        ]
        let others = calls.filter { !judging.contains($0) }
        let charges = others.count { $0.name.hasPrefix("postern.ratelimit.v1.") }
        return charges <= 1 && others.count - charges <= 1
    }

    private static func isComposed(_ method: String) -> Bool {
        methods.contains { $0.name == "postern.gateway.v1.\(method)" && $0.owner == nil }
    }

    @Test("a call that is passed on is one call to its owner, beside a check and charges")
    func passedOn() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let relayed = Self.methods.filter { $0.owner != nil }
        // The last one that is called ends the session.
        let ends = [AuthDescription.signOut]
        for method in relayed.filter({ !ends.contains($0) }) + ends {
            let instance = try RepeatFixture(fixture)
            _ = try? await instance.call(
                method, fixture.context("k").bearing(ada.session.accessToken))
            let made = instance.calls.filter { !$0.name.hasPrefix("postern.ratelimit.v1.") }
            let checks = method.limit == nil ? [] : [SessionsDescription.validateAccessToken]
            #expect(made.last == method, "\(method.name)")
            #expect(made.dropLast().allSatisfy(checks.contains), "\(method.name): \(made)")
        }
    }

    @Test("a flow makes two calls or charges twice", arguments: RepeatedCalls.all)
    func composed(row: RepeatedCall) async throws {
        guard Self.isComposed(row.method) else { return }
        try await ProviderFixture.with(rules: TestRules.text) { fixture in
            let call = try await row.prepare(fixture).same
            let instance = try RepeatFixture(fixture.gateway)
            _ = try await call(instance, fixture.gateway.context("k"))
            let calls = instance.calls.map(\.name)
            #expect(
                Self.forwards(instance.calls) == (Self.exceptions[row.method] != nil), "\(calls)")
        }
    }

    @Test("a composed method is in one of the tables")
    func complete() {
        let composed = Set(
            Self.methods.filter { $0.owner == nil }
                .map { String($0.name.dropFirst("postern.gateway.v1.".count)) })
        let rows = Set(RepeatedCalls.all.map(\.method))
        #expect(composed.subtracting(rows) == Set(Self.others.keys))
        #expect(Set(Self.exceptions.keys).isSubset(of: composed))
    }

    @Test("a planted flow that only forwards is found")
    func planted() {
        let (check, charge) = (SessionsDescription.validateAccessToken, LimitsDescription.consume)
        let (one, other) = (AccountsDescription.getAccount, SessionsDescription.createSession)
        for calls in [[one], [check, one], [check, charge, one]] {
            #expect(Self.forwards(calls))
        }
        for calls in [[one, other], [charge, charge, one], [check, charge, one, other]] {
            #expect(!Self.forwards(calls))
        }
    }
}
