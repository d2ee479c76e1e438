import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-06: subscribers receive revocations", .timeLimit(.minutes(1)))
struct SessionEndsHandlerTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    /// Runs the service's relay while `body` runs.
    private func relaying(_ body: () async throws -> Void) async throws {
        let relay = Task { [service = fixture.service] in
            try await service.background.revocations.run()
        }
        do {
            try await body()
        } catch {
            relay.cancel()
            throw error
        }
        relay.cancel()
        _ = await relay.result
    }

    private func watch(from position: UInt64) -> IncomingItems<SessionV1.WatchRevocationsItem> {
        fixture.service.ends.watchRevocations(
            SessionV1.WatchRevocationsRequest(
                position: position, epoch: fixture.service.background.revocations.epoch),
            fixture.context())
    }

    /// The revocations in the items up to the first that satisfies `isLast`.
    private func ends(
        from position: UInt64,
        until isLast: (SessionV1.WatchRevocationsItem) -> Bool = { $0.completeAtMs > 0 }
    ) async throws -> (ends: [SessionV1.RevokedSession], last: SessionV1.WatchRevocationsItem) {
        var ends: [SessionV1.RevokedSession] = []
        for try await item in watch(from: position) {
            ends += item.ends
            if isLast(item) { return (ends, item) }
        }
        throw ServiceError(.unavailable)
    }

    @Test("S-06: a session that ends in any way reaches a subscriber with its reason")
    func reasons() async throws {
        try await relaying {
            let signedOut = try await fixture.open()
            _ = try await fixture.signOut(.accessToken(signedOut.accessToken))
            let secured = try await fixture.open(try fixture.account(43))
            _ = try await fixture.endAccount(
                try fixture.account(43), before: fixture.time.now() + .seconds(1))
            var seen: [String: GatewayV1.EndReason] = [:]
            _ = try await ends(from: 0) { item in
                for end in item.ends { seen[end.sessionId] = end.reason }
                return seen.count == 2
            }
            #expect(seen == [signedOut.sessionId: .signedOut, secured.sessionId: .security])
        }
    }

    @Test("S-06: a connected subscriber receives a revocation without delay")
    func atOnce() async throws {
        try await relaying {
            let tokens = try await fixture.open()
            let items = watch(from: 0).makeAsyncIterator()
            let first = try #require(try await items.next())
            #expect(first.ends.isEmpty && first.completeAtMs > 0)
            _ = try await fixture.signOut(.accessToken(tokens.accessToken))
            var ended: [String] = []
            while ended.isEmpty {
                ended = try #require(try await items.next()).ends.map(\.sessionId)
            }
            #expect(ended == [tokens.sessionId])
        }
    }

    @Test("S-06: 200 concurrent revocations reach every subscriber once and in one order")
    func order() async throws {
        var sessions: [GatewayV1.Session] = []
        for number in 1...200 {
            sessions.append(try await fixture.open(try fixture.account(Int64(number))))
        }
        try await relaying {
            let (service, context) = (fixture.service, fixture.context())
            try await withThrowingTaskGroup { group in
                for tokens in sessions {
                    group.addTask {
                        _ = try await service.sessions.signOut(
                            GatewayV1.SignOutRequest(), context.bearing(tokens.accessToken))
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<3 {
                var positions: [UInt64] = []
                let received = try await ends(from: 0) { item in
                    positions += item.ends.map(\.position)
                    return positions.count >= 200
                }
                #expect(positions == Array(1...200))
                #expect(Set(received.ends.map(\.sessionId)).count == 200)
            }
        }
    }

    @Test("S-06: a position stays valid across a restart, and no revocation is sent twice")
    func restart() async throws {
        let (first, second) = (try await fixture.open(), try await fixture.open())
        _ = try await fixture.signOut(.accessToken(first.accessToken))
        try await fixture.restart()
        let before = try await ends(from: 0)
        #expect(before.ends.map(\.sessionId) == [first.sessionId])
        _ = try await fixture.signOut(.accessToken(second.accessToken))
        try await fixture.restart()
        let after = try await ends(from: before.last.position)
        #expect(after.ends.map(\.sessionId) == [second.sessionId])
        #expect(!after.last.reset)
    }

    @Test("S-06: after a restart without revocations a subscriber starts over, and misses none")
    func restartAfterPurge() async throws {
        let first = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(first.accessToken))
        try await fixture.restart()
        let before = try await ends(from: 0)
        #expect(before.last.position == 1)
        fixture.time.advance(by: .seconds(7_201))
        try await fixture.purge()
        try await fixture.restart()
        let after = try await ends(from: before.last.position)
        #expect(after.last.reset && after.last.position == 0)
        let second = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(second.accessToken))
        try await fixture.restart()
        let next = try await ends(from: after.last.position)
        #expect(next.ends.map(\.sessionId) == [second.sessionId] && next.last.position == 2)
    }

    @Test("S-06: the log is limited by the access token's life, in memory and in the store")
    func bounded() async throws {
        for _ in 0..<20 {
            let tokens = try await fixture.open()
            _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        }
        fixture.time.advance(by: .seconds(7_201))
        for _ in 0..<12 {
            let tokens = try await fixture.open()
            _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        }
        try await fixture.purge()
        #expect(try await fixture.number("SELECT count(*) FROM session_end") == 12)
        fixture.time.advance(by: .seconds(1_000))
        try await fixture.restart()
        let received = try await ends(from: 1)
        #expect(received.ends.isEmpty && received.last.reset && received.last.position == 32)
    }

    @Test(
        "S-06: without revocations a subscriber gets heartbeats with the time of completeness")
    func heartbeat() async throws {
        try await relaying {
            let items = watch(from: 0).makeAsyncIterator()
            var before = try #require(try await items.next())
            for _ in 0..<3 {
                await fixture.time.sleepers()
                fixture.time.advance(by: .seconds(1))
                let item = try #require(try await items.next())
                #expect(item.completeAtMs >= before.completeAtMs)
                #expect(item.ends.isEmpty)
                before = item
            }
        }
    }

    @Test("S-01: subscribers are informed at once that keys have changed")
    func keysChanged() async throws {
        try await relaying {
            let items = watch(from: 0).makeAsyncIterator()
            let first = try #require(try await items.next())
            let tool = CallContext(
                application: "tool", deadline: fixture.time.uptime() + .seconds(10))
            _ = try await fixture.service.signingKeys.rotateKeys(.init(), tool)
            var item = first
            while !item.keysChanged { item = try #require(try await items.next()) }
            #expect(item.keySet != first.keySet)
        }
    }
}
