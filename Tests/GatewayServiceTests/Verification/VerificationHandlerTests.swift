import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import GatewayService
@testable import SessionService

@Suite("S-06, S-07: the gateway relays revocations and keys to backends", .timeLimit(.minutes(1)))
struct VerificationHandlerTests {
    let fixture: GatewayFixture
    let upstream: CountedEnds
    let relay: VerificationHandler

    init() async throws {
        fixture = try await GatewayFixture()
        upstream = CountedEnds(inner: fixture.inner.sessionService.ends)
        relay = VerificationHandler(
            ends: upstream,
            tokens: TokenAccounts(sessions: fixture.inner.session, time: fixture.time),
            time: fixture.time,
            randomness: SeededRandomness(seed: 3))
    }

    private func relaying(_ body: () async throws -> Void) async throws {
        let parts = [
            Task { [session = fixture.inner.sessionService] in
                _ = try? await session.background.run()
            },
            Task { [relay] in await relay.run() },
        ]
        defer { for part in parts { part.cancel() } }
        try await body()
    }

    private func watch() -> IncomingItems<GatewayV1.WatchRevocationsItem>.AsyncIterator {
        IncomingItems<GatewayV1.WatchRevocationsItem>.inProcess { [relay, fixture] in
            try await relay.watchRevocations(.init(), $0, fixture.context())
        }.makeAsyncIterator()
    }

    @Test("S-06: a sign-out reaches 100 subscribers of the gateway with one call to session")
    func fanOut() async throws {
        let ada = try await fixture.signUp()
        try await relaying {
            let followers = (0..<100).map { _ in watch() }
            for follower in followers { #expect(try await follower.next() != nil) }
            _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
            for follower in followers {
                var ended: [String] = []
                while ended.isEmpty {
                    ended = try #require(try await follower.next()).revocations.map(\.sessionId)
                }
                #expect(ended == [ada.session.sessionId])
            }
            #expect(upstream.calls == 1)
        }
    }

    @Test(
        "S-06: a lost stream to session is resumed; subscribers stay connected and miss nothing"
    )
    func sessionAway() async throws {
        let ada = try await fixture.signUp()
        try await relaying {
            let follower = watch()
            #expect(try await follower.next() != nil)
            upstream.cut()
            _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
            while upstream.calls < 2 {
                await fixture.time.sleepers()
                fixture.time.advance(by: .milliseconds(100))
                await Task.yield()
            }
            var ended: [String] = []
            while ended.isEmpty {
                ended = try #require(try await follower.next()).revocations.map(\.sessionId)
            }
            #expect(ended == [ada.session.sessionId])
        }
    }

    @Test("S-01: the key set is the session service's")
    func keySet() async throws {
        let context = fixture.context(application: CallContext.gateway)
        let inner = try fixture.inner.session.getKeySet(.init(), context).jwks
        #expect(try await fixture.verification.getKeySet(.init(), fixture.context()).jwks == inner)
    }

    @Test("SECURITY.md, Tokens: tokens of links and of sessions are not interchangeable")
    func kinds() async throws {
        let ada = try await fixture.signUp()
        let link = try await fixture.inner.linkToken()
        let (access, refresh) = (ada.session.accessToken, ada.session.refreshToken)
        for token in [link, refresh] {
            #expect(try await fixture.check(token).authenticated == false)
            #expect(
                try await refusal { try await fixture.signOut(.accessToken(token)) }.code
                    == .invalidAccessToken)
        }
        for token in [link, access] {
            #expect(
                try await refusal { try await fixture.refresh(token) }.code == .invalidRefreshToken)
        }
        for token in [access, refresh] {
            #expect(try await refusal { try await fixture.verify(token) }.code == .invalidLink)
        }
        #expect(try await fixture.check(access).authenticated)
        #expect(try await fixture.verify(link, accessToken: access).emailVerified)
    }
}

/// The session service's stream of revocations. It counts the calls and can end the open ones.
final class CountedEnds: SessionEndsAPI {
    private struct State {
        var calls = 0
        var open: [Task<Void, any Error>] = []
    }

    private let inner: any SessionEndsAPI
    private let state = Mutex(State())

    init(inner: any SessionEndsAPI) {
        self.inner = inner
    }

    var calls: Int { state.withLock { $0.calls } }

    /// Ends the open calls.
    func cut() {
        for task in state.withLock({ $0.open }) { task.cancel() }
    }

    func watchRevocations(
        _ request: SessionV1.WatchRevocationsRequest, _ context: CallContext
    ) -> IncomingItems<SessionV1.WatchRevocationsItem> {
        state.withLock { $0.calls += 1 }
        return .inProcess { [inner] items in
            let passing = Task {
                for try await item in inner.watchRevocations(request, context) {
                    try await items.write(item)
                }
            }
            self.state.withLock { $0.open.append(passing) }
            try await withTaskCancellationHandler {
                try await passing.value
            } onCancel: {
                passing.cancel()
            }
        }
    }
}
