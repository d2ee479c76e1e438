import ServiceRuntime
import Testing

@testable import SessionService

@Suite("G-10: the rule of rotation, row by row")
struct RefreshTokenRotationTests {
    typealias Decision = RefreshTokenRotation.Decision

    let life = SessionLife(idleMax: .seconds(100), ageMax: .seconds(300))
    let opened = Timestamp(milliseconds: 1_000_000)

    private func session(
        counter: Int64 = 5, end: EndReason? = nil
    ) throws -> Session {
        Session(
            id: try #require(SessionID(key: 1)), account: try #require(AccountID(key: 2)),
            counter: counter, createdAt: opened, usedAt: opened, authenticatedAt: opened,
            provedAt: opened, methods: ["pwd"],
            end: end.map { Session.End(at: opened + .seconds(1), reason: $0) })
    }

    private func decision(
        _ counter: Int64, _ session: Session, after age: Duration = .seconds(1)
    ) -> Decision {
        RefreshTokenRotation.decision(
            counter: counter, of: session, life: life, at: opened + age)
    }

    @Test("the leaf rotates; any before it is a replay; one that was never given is unknown")
    func liveRows() throws {
        let session = try session(counter: 5)
        #expect(decision(5, session) == .rotate(to: 6))
        for counter in Int64(1)...4 { #expect(decision(counter, session) == .replayed) }
        #expect(decision(6, session) == .unknown)
        #expect(decision(.max, session) == .unknown)
    }

    @Test("a session that has ended answers so to every token", arguments: EndReason.allCases)
    func endedRows(reason: EndReason) throws {
        let session = try session(counter: 5, end: reason)
        for counter in [Int64(1), 4, 5, 6] { #expect(decision(counter, session) == .hasEnded) }
    }

    @Test("S-02: past its life a session ends, whichever token is used, exactly at the edge")
    func lifeRows() throws {
        let session = try session(counter: 5)
        let edge = Duration.seconds(100)
        #expect(decision(5, session, after: edge - .milliseconds(1)) == .rotate(to: 6))
        #expect(decision(4, session, after: edge - .milliseconds(1)) == .replayed)
        for counter in [Int64(4), 5, 6] {
            #expect(decision(counter, session, after: edge) == .isOver(.inactive))
        }
    }
}
