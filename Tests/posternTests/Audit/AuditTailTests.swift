import Messages
import Testing

@testable import postern

@Suite("A-01: the newest entries of audit trails")
struct AuditTailTests {
    /// A trail with these positions, read as `EventFeed` does.
    private func tail(_ positions: [Int64]) -> AuditTail {
        AuditTail { request in
            if request.positionOnly { return .init(position: positions.last ?? 0, isWhole: true) }
            let limit = request.limit == 0 ? 500 : min(500, Int(request.limit))
            let events = positions.filter { $0 > request.after }.prefix(limit).map {
                EventsV1.Event(position: $0, atMs: 1_000 * $0)
            }
            return .init(events: events)
        }
    }

    private struct Found: Equatable {
        let positions: [Int64]
        let hasMore: Bool

        init(_ positions: [Int64], hasMore: Bool = false) {
            self.positions = positions
            self.hasMore = hasMore
        }
    }

    private func newest(
        _ limit: Int, of positions: [Int64], where isSelected: (Int64) -> Bool = { _ in true }
    ) async throws -> Found {
        let newest = try await tail(positions).newest(limit) { isSelected($0.position) }
        return Found(newest.events.map(\.position), hasMore: newest.hasMore)
    }

    @Test("A-01: the last entries are returned, the oldest of them first")
    func last() async throws {
        let all = Array(Int64(1)...2_000)
        #expect(try await newest(3, of: all) == Found([1_998, 1_999, 2_000], hasMore: true))
        #expect(try await newest(3, of: Array(1...3)) == Found([1, 2, 3]))
        #expect(try await newest(2_000, of: all) == Found(all))
        #expect(try await newest(1_999, of: all) == Found(Array(all.dropFirst()), hasMore: true))
        #expect(try await newest(3, of: []) == Found([]))
    }

    @Test("A-01: a filter finds entries anywhere in the trail, each once")
    func filtered() async throws {
        let all = Array(Int64(1)...2_000)
        let rare: (Int64) -> Bool = { $0 == 1 || $0 == 1_000 || $0 == 1_500 }
        #expect(try await newest(9, of: all, where: rare) == Found([1, 1_000, 1_500]))
        #expect(try await newest(2, of: all, where: rare) == Found([1_000, 1_500], hasMore: true))
        #expect(try await newest(9, of: all, where: { _ in false }) == Found([]))
    }

    @Test("A-01: entries that were purged, at the start or between others, are passed over")
    func purged() async throws {
        #expect(try await newest(3, of: Array(900_000...900_001)) == Found([900_000, 900_001]))
        let gap = Array(Int64(100)...200) + Array(3_000...3_100)
        #expect(try await newest(1_000, of: gap) == Found(gap))
    }

    @Test("A-01: entries of several services are merged by time, and only the newest remain")
    func merged() {
        func trail(_ times: Int64...) -> [EventsV1.Event] { times.map { .init(atMs: $0) } }
        let trails = [
            (service: "identity", events: trail(1, 5, 9)),
            (service: "session", events: trail(2, 5, 6)),
        ]
        func merged(_ limit: Int) -> [String] {
            AuditTail.merged(trails, limit: limit).map { "\($0.service) \($0.event.atMs)" }
        }
        #expect(merged(2) == ["session 6", "identity 9"])
        #expect(
            merged(50) == [
                "identity 1", "session 2", "identity 5", "session 5", "session 6", "identity 9",
            ])
    }

    @Test("A-01: the time for --before includes the whole second of the oldest entry shown")
    func before() {
        let event = EventsV1.Event(atMs: 1_795_248_340_254)
        #expect(AuditTail.before(event) == "2026-11-21T08:05:41Z")
        #expect(Moment(argument: AuditTail.before(event)) != nil)
    }
}
