import Contracts
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import SessionService
import TestSupport
import Testing

@testable import GatewayService

@Suite("What the calling session is to each method of the gateway", .timeLimit(.minutes(2)))
struct SessionTableTests {
    @Test(
        "each state of the session, at the first call and at its repeat", arguments: SessionRow.all)
    func table(row: SessionRow) async throws {
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let callers = try await CallerTokens(fixture)
            for (number, state) in CallerState.allCases.enumerated() {
                let messages = try await row.messages(SessionCaller(number, fixture))
                func outcome() async throws -> String {
                    try await gateway.outcome(
                        row.method, messages, callers.context(state, gateway))
                }
                let first = try await outcome()
                if let expected = row.refusal(state) {
                    #expect(first == expected, "\(state)")
                } else {
                    #expect(!SessionRule.codes.contains(first), "\(state): \(first)")
                }
                // A guest that became an account has no session any more.
                if state == .guest { try await gateway.inner.settle() }
                let again = try await outcome()
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
        let row = try #require(
            SessionRow.all.first { $0.method.name == "postern.gateway.v1.\(method)" })
        try await ProviderFixture.with { fixture in
            let gateway = fixture.gateway
            let callers = try await CallerTokens(fixture)
            let token = try #require(callers.tokens[.guest])
            let messages = try await row.messages(SessionCaller(0, fixture))
            func outcome() async throws -> String {
                try await gateway.outcome(row.method, messages, callers.context(.guest, gateway))
            }
            #expect(try await outcome() == "ok")
            // Before the session service has received the end, and after.
            #expect(try await outcome() == "ok")
            try await gateway.inner.settle()
            #expect(try await !gateway.check(token).authenticated)
            #expect(try await outcome() == "ok")
        }
    }
}

extension GatewayFixture {
    /// Makes a call.
    /// - Returns: "ok", or the error's code; `SessionRule.malformed` for malformed metadata.
    fileprivate func outcome(
        _ method: MethodDescription, _ messages: [[UInt8]], _ context: CallContext
    ) async throws -> String {
        do {
            if method == VerificationDescription.watchRevocations {
                try await followingRevocations { try await send(method, messages, context) }
            } else {
                try await send(method, messages, context)
            }
            return "ok"
        } catch let error as ServiceError {
            let isMalformed =
                error.code == .invalidArgument && error.fields == [Metadata.Key.authorization]
            return isMalformed ? SessionRule.malformed : error.code.rawValue
        }
    }

    private func send(
        _ method: MethodDescription, _ messages: [[UInt8]], _ context: CallContext
    ) async throws {
        _ = try await LiveCallers.send(method, messages, by: front, context)
    }

    /// Runs `body` while the gateway follows the session service's revocations.
    private func followingRevocations(_ body: () async throws -> Void) async throws {
        let relay = Task { [revocations] in await revocations.run() }
        defer { relay.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.inner.sessionService.background.run() }
            // A follower that comes before the feed is ready tries again after a pause.
            group.addTask {
                while true {
                    try await Task.sleep(for: .milliseconds(500))
                    self.time.advance(by: .seconds(1))
                }
            }
            defer { group.cancelAll() }
            try await body()
        }
    }
}
