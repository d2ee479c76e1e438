import ServiceRuntime
import Testing

@testable import SessionService

@Suite("S-03: the least recently used sessions are displaced")
struct SessionDisplacementTests {
    private func session(_ key: Int64, used: Int64, created: Int64 = 0) throws -> Session {
        Session(
            id: try #require(SessionID(key: key)), account: try #require(AccountID(key: 1)),
            counter: 1, createdAt: Timestamp(milliseconds: created),
            usedAt: Timestamp(milliseconds: used), provedAt: Timestamp(milliseconds: 0),
            proofs: SessionProofs(
                signIn: SessionProof(methods: ["pwd"], at: Timestamp(milliseconds: 0))))
    }

    @Test(
        "S-03: enough sessions are displaced to keep a new one within the limit",
        arguments: [(0, 0), (4, 0), (5, 1), (6, 2), (20, 16)])
    func counts(live: Int, givingWay: Int) throws {
        let sessions = try (0..<live).map { try session(Int64($0) + 1, used: Int64($0)) }
        let ended = SessionDisplacement.displaced(among: sessions.shuffled(), max: 5)
        #expect(ended.map(\.id.key) == (0..<Int64(givingWay)).map { $0 + 1 })
    }

    @Test("S-03: the least recently used session is displaced, not the oldest")
    func leastRecent() throws {
        let sessions = [
            try session(1, used: 900, created: 1), try session(2, used: 100, created: 50),
            try session(3, used: 500, created: 20),
        ]
        #expect(SessionDisplacement.displaced(among: sessions, max: 3).map(\.id.key) == [2])
        #expect(SessionDisplacement.displaced(among: sessions, max: 1).map(\.id.key) == [2, 3, 1])
    }

    @Test("S-03: of sessions used at the same time the oldest is displaced, then the smaller key")
    func ties() throws {
        let sessions = [
            try session(9, used: 5, created: 2), try session(7, used: 5, created: 1),
            try session(8, used: 5, created: 1),
        ]
        #expect(SessionDisplacement.displaced(among: sessions, max: 1).map(\.id.key) == [7, 8, 9])
    }
}
