import ServiceRuntime
import Testing

@testable import SessionService

@Suite("S-02: sessions have an idle limit and a maximum age")
struct SessionLifeTests {
    let life = SessionLife(idleMax: .seconds(100), ageMax: .seconds(300))
    let opened = Timestamp(milliseconds: 5_000_000)

    private func state(
        usedAfter used: Duration, after age: Duration, end: EndReason? = nil
    ) throws -> SessionLife.State {
        let session = Session(
            id: try #require(SessionID(key: 1)), account: try #require(AccountID(key: 2)),
            counter: 1, createdAt: opened, usedAt: opened + used, provedAt: opened,
            proofs: SessionProofs(signIn: SessionProof(methods: ["pwd"], at: opened)),
            end: end.map { Session.End(at: opened, reason: $0) })
        return life.state(of: session, at: opened + age)
    }

    @Test("an unused session is live until the last millisecond before the idle limit")
    func idleEdge() throws {
        #expect(try state(usedAfter: .zero, after: .zero) == .live)
        #expect(try state(usedAfter: .zero, after: .milliseconds(99_999)) == .live)
        #expect(try state(usedAfter: .zero, after: .seconds(100)) == .over(.inactive))
        #expect(
            try state(usedAfter: .seconds(50), after: .milliseconds(149_999)) == .live)
        #expect(try state(usedAfter: .seconds(50), after: .seconds(150)) == .over(.inactive))
    }

    @Test("a used session is live until the last millisecond before its maximum age")
    func ageEdge() throws {
        #expect(
            try state(usedAfter: .seconds(290), after: .milliseconds(299_999)) == .live)
        #expect(
            try state(usedAfter: .seconds(290), after: .seconds(300)) == .over(.maximumAge))
    }

    @Test("past both limits the reason is the one that was reached first")
    func bothLimits() throws {
        #expect(try state(usedAfter: .zero, after: .seconds(900)) == .over(.inactive))
        #expect(
            try state(usedAfter: .seconds(250), after: .seconds(900)) == .over(.maximumAge))
        #expect(
            try state(usedAfter: .seconds(200), after: .seconds(300)) == .over(.maximumAge))
    }

    @Test("a recorded end stays, at any time", arguments: EndReason.allCases)
    func recordedEnd(reason: EndReason) throws {
        for age in [Duration.zero, .seconds(100), .seconds(300), .seconds(9_000)] {
            #expect(
                try state(usedAfter: .zero, after: age, end: reason) == .ended(reason))
        }
    }
}
