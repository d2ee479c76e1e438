import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("What the calling session is to each public method", .timeLimit(.minutes(2)))
struct SessionTableTests {
    @Test("every method that the gateway serves says what the session is to it, and has a row")
    func complete() async throws {
        let served = try await GatewayFixture().services.flatMap(\.methods).map(\.name)
        let package = "postern.gateway.v1."
        #expect(served.allSatisfy { $0.hasPrefix(package) } && served.count > 30)
        let methods = Set(served.map { String($0.dropFirst(package.count)) })
        let rows = SessionRow.all.map(\.method)
        #expect(methods.subtracting(rows) == [], "no row")
        #expect(Set(rows).subtracting(methods) == [], "no method")
        #expect(rows.count == methods.count, "two rows")
        let rules = try PublicMethods.rules()
        #expect(Set(rules.keys) == methods)
        #expect(rules.filter { SessionRule(rawValue: $0.value) == nil }.isEmpty)
    }

    @Test(
        "each state of the session, at the first call and at its repeat", arguments: SessionRow.all)
    func table(row: SessionRow) async throws {
        let declared = try #require(try PublicMethods.rules()[row.method])
        let rule = try #require(SessionRule(rawValue: declared))
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let callers = try await CallerTokens(fixture)
            for state in CallerState.allCases {
                let expected = row.refusals[state] ?? rule.refusal(state)
                let call = try await row.prepare(fixture, state)
                let first = try await outcome(call, callers.context(state, gateway))
                if let expected {
                    #expect(first == expected, "\(state)")
                } else {
                    #expect(!SessionRule.codes.contains(first), "\(state): \(first)")
                }
                // A guest that became an account has no session any more.
                if state == .guest { try await gateway.inner.settle() }
                let again = try await outcome(call, callers.context(state, gateway))
                #expect(again == first, "\(state), repeated")
            }
        }
    }

    @Test(
        "G-25: a repeat of the call that ended its session gets the first answer",
        arguments: [
            "Auth/SignUpWithPassword", "Providers/SignInWithProvider",
            "PhoneSignIn/SignInWithPhoneCode", "Auth/SignOut",
        ])
    func usedUp(method: String) async throws {
        let row = try #require(SessionRow.all.first { $0.method == method })
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let callers = try await CallerTokens(fixture)
            let token = try #require(callers.tokens[.guest])
            let call = try await row.prepare(fixture, .guest)
            #expect(try await outcome(call, callers.context(.guest, gateway)) == "ok")
            // Before the session service has received the end, and after.
            #expect(try await outcome(call, callers.context(.guest, gateway)) == "ok")
            try await gateway.inner.settle()
            #expect(try await !gateway.check(token).authenticated)
            #expect(try await outcome(call, callers.context(.guest, gateway)) == "ok")
        }
    }

    /// "ok", or the error's code; `SessionRule.malformed` for malformed metadata.
    private func outcome(
        _ call: SessionRow.Call, _ context: CallContext
    ) async throws -> String {
        do {
            try await call(context)
            return "ok"
        } catch let error as ServiceError {
            let isMalformed =
                error.code == .invalidArgument && error.fields == [Metadata.Key.authorization]
            return isMalformed ? SessionRule.malformed : error.code.rawValue
        }
    }
}
