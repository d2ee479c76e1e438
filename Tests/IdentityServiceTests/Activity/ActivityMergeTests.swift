import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("A-01: the activities of two trails as one list, the newest first")
struct ActivityMergeTests {
    /// An activity of a trail, whose name is in `kind`.
    private static func activity(_ trail: String, _ position: Int64, at ms: Int64) -> Activity {
        Activity(EventsV1.Event(position: position, atMs: ms, kind: trail))
    }

    /// A trail with an activity at each of these times, the newest first, at positions that end
    /// with 1 above what is not read.
    private static func trail(
        _ name: String, _ times: [Int64], olderBefore: Int64? = nil
    ) -> ActivityTrail {
        let first = (olderBefore ?? 1) + Int64(times.count) - 1
        return ActivityTrail(
            times.enumerated().map { activity(name, first - Int64($0), at: $1) },
            olderBefore: olderBefore)
    }

    private static func shown(_ merge: ActivityMerge) -> [String] {
        merge.activities.map { "\($0.kind) \($0.at.milliseconds)" }
    }

    @Test("they are ordered by time, and those of one time by trail")
    func order() {
        let merge = ActivityMerge(
            [Self.trail("s", [30, 20]), Self.trail("i", [40, 20, 10])], limit: 9)
        #expect(Self.shown(merge) == ["i 40", "s 30", "s 20", "i 20", "i 10"])
        #expect(merge.next == nil)
    }

    @Test("within a trail the order is that of positions, also if the clock was stepped")
    func stepped() {
        let merge = ActivityMerge([Self.trail("s", [10, 50]), Self.trail("i", [20])], limit: 9)
        #expect(Self.shown(merge) == ["i 20", "s 10", "s 50"])
    }

    @Test("a full page names the positions before which the next one goes on")
    func full() {
        let trails = [Self.trail("s", [30, 20]), Self.trail("i", [40, 10])]
        let merge = ActivityMerge(trails, limit: 2)
        #expect(Self.shown(merge) == ["i 40", "s 30"])
        #expect(merge.next == [2, 2])
        // As many as there are: nothing is left.
        #expect(ActivityMerge(trails, limit: 4).next == nil)
        // A trail of which nothing is on the page goes on with its first one.
        #expect(ActivityMerge(trails, limit: 1).next == [3, 2])
        // A trail at its end goes on before its first position.
        let ended = ActivityMerge([Self.trail("s", []), Self.trail("i", [40, 10])], limit: 1)
        #expect(ended.next == [1, 2])
    }

    @Test("where a trail was not read further, the page ends: older ones of others wait")
    func cut() {
        let merge = ActivityMerge(
            [Self.trail("s", [30], olderBefore: 7), Self.trail("i", [40, 20])], limit: 9)
        #expect(Self.shown(merge) == ["i 40", "s 30"])
        #expect(merge.next == [7, 2])
        let empty = ActivityMerge(
            [Self.trail("s", [], olderBefore: 7), Self.trail("i", [40])], limit: 9)
        #expect(empty.activities.isEmpty)
        #expect(empty.next == [7, 2])
    }

    @Test("without any activity there is no next page")
    func none() {
        let merge = ActivityMerge([Self.trail("s", []), Self.trail("i", [])], limit: 9)
        #expect(merge.activities.isEmpty && merge.next == nil)
    }

    @Test("50 seeds: page by page each activity comes once, in the order of its trail")
    func pages() {
        for seed in UInt64(1)...50 {
            let random = SeededRandomness(seed: seed)
            let trails = ["s", "i"].map { name -> [Activity] in
                var at: Int64 = 1_000_000
                return (0..<40).map { number in
                    at -= Int64(random.integer() % 50)
                    return Self.activity(name, Int64(40 - number), at: at)
                }
            }
            var (places, seen): ([Int64], [Activity]) = ([.max, .max], [])
            for _ in 0..<2_000 {
                let read = zip(trails, places).map { trail, place -> ActivityTrail in
                    let rest = trail.filter { $0.position < place }
                    let part = Array(rest.prefix(Int(random.integer() % 5)))
                    let last = part.last?.position ?? place
                    return ActivityTrail(
                        part, olderBefore: part.count < rest.count ? last : nil)
                }
                let merge = ActivityMerge(read, limit: 3)
                seen += merge.activities
                guard let next = merge.next else { break }
                places = next
            }
            #expect(seen.count == 80, "seed \(seed)")
            for (name, trail) in zip(["s", "i"], trails) {
                #expect(seen.filter { $0.kind == name } == trail, "seed \(seed)")
            }
            let times = seen.map(\.at)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 >= $1 }, "seed \(seed)")
        }
    }
}
