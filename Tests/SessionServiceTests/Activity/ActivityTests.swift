import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("S-05: activity stays in memory until it is written")
struct ActivityTests {
    private let start = Timestamp(milliseconds: 1_000_000)

    private func id(_ key: Int64) throws -> SessionID { try #require(SessionID(key: key)) }

    private func session(_ key: Int64, usedAt: Timestamp) throws -> Session {
        Session(
            id: try id(key), account: try #require(AccountID(key: 1)), counter: 1,
            createdAt: start, usedAt: usedAt, provedAt: start,
            proofs: SessionProofs(signIn: SessionProof(methods: ["pwd"], at: start)))
    }

    @Test("the later of the stored time and the mark counts")
    func later() throws {
        let activity = Activity()
        activity.mark(try id(1), at: start + .seconds(10))
        let early = activity.applied(to: try session(1, usedAt: start))
        #expect(early.usedAt == start + .seconds(10))
        let late = activity.applied(to: try session(1, usedAt: start + .seconds(20)))
        #expect(late.usedAt == start + .seconds(20))
        #expect(activity.applied(to: try session(2, usedAt: start)).usedAt == start)
    }

    @Test("a mark counts until it is on disk, and is sent again if the write failed")
    func underway() throws {
        let activity = Activity()
        activity.mark(try id(1), at: start + .seconds(10))
        activity.beginFlush()
        let first = activity.flushing(upTo: 10)
        #expect(first == [Activity.Mark(key: 1, at: start + .seconds(10))])
        #expect(activity.applied(to: try session(1, usedAt: start)).usedAt > start)
        activity.mark(try id(1), at: start + .seconds(30))
        activity.beginFlush()
        let again = activity.flushing(upTo: 10)
        #expect(again.map(\.at) == [start + .seconds(30)], "the first was not written")
        activity.flushed([Activity.Mark(key: 1, at: start + .seconds(30))])
        #expect(activity.count == 0)
        activity.beginFlush()
        #expect(activity.flushing(upTo: 10).isEmpty)
        #expect(activity.applied(to: try session(1, usedAt: start)).usedAt == start)
    }

    @Test("a later mark that is sent while an earlier one is being written is not lost")
    func overtaken() throws {
        let activity = Activity()
        activity.mark(try id(1), at: start + .seconds(10))
        activity.beginFlush()
        let first = activity.flushing(upTo: 10)
        activity.mark(try id(1), at: start + .seconds(20))
        activity.beginFlush()
        activity.flushed(first)
        #expect(activity.flushing(upTo: 10).map(\.at) == [start + .seconds(20)])
        activity.flushed([Activity.Mark(key: 1, at: start + .seconds(20))])
        #expect(activity.count == 0)
    }

    @Test("at the maximum no new session is marked, but marked ones are updated")
    func bounded() throws {
        let activity = Activity(marksMax: 3)
        for key in 1...10 { activity.mark(try id(Int64(key)), at: start) }
        #expect(activity.count == 3)
        activity.mark(try id(1), at: start + .seconds(1))
        #expect(activity.applied(to: try session(1, usedAt: start)).usedAt == start + .seconds(1))
        #expect(activity.applied(to: try session(9, usedAt: start)).usedAt == start)
    }
}
