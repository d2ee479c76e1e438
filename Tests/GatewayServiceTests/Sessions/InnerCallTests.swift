import Contracts
import Messages
import PublicCalls
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

    /// The composed calls that remember repeats, which `PreparedPerson` can make.
    private static let calls = Dictionary(
        uniqueKeysWithValues: PublicCalls.all
            .filter { $0.method.remembersRepeats && $0.method.owner == nil }
            .map { ($0.name, $0) })

    /// The other composed methods, and what they do beside a call.
    private static let others = [
        "Auth/CheckAuthState": "knows the session by the feed, and makes one answer of two",
        "AccountSessions/CheckRecentProof": "judges the proofs, and asks identity to refuse",
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

    @Test("a flow makes two calls or charges twice", arguments: calls.keys.sorted())
    func composed(name: String) async throws {
        let call = try #require(Self.calls[name])
        try await ProviderFixture.withPeople { fixture in
            let ada = try await PreparedPerson(0, fixture, calling: call)
            let request = try await ada.messages(of: call)
            let instance = try RepeatFixture(fixture.gateway)
            _ = try await instance.send(call, request, by: ada)
            let made = instance.calls.map(\.name)
            #expect(Self.forwards(instance.calls) == (Self.exceptions[name] != nil), "\(made)")
        }
    }

    @Test("a composed method is in one of the tables")
    func complete() {
        let composed = Set(Self.methods.filter { $0.owner == nil })
        let called = Self.calls.values.map(\.method)
        let others = composed.subtracting(called)
            .map { String($0.name.dropFirst("postern.gateway.v1.".count)) }
        #expect(Set(others) == Set(Self.others.keys))
        #expect(Set(Self.exceptions.keys).isSubset(of: Self.calls.keys))
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
