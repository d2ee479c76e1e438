import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import Contracts

@Suite("S-06: subscribers get pages of revocations")
struct RevocationPagesTests {
    private static let start = Timestamp(milliseconds: 1_000_000_000)
    private static let retention: Duration = .seconds(100)

    private static func end(_ position: UInt64, at second: Int64) throws -> Revocation {
        Revocation(
            position: position, session: try #require(SessionID(key: Int64(position))),
            at: start + .seconds(second), reason: .signedOut)
    }

    private static func update(
        _ positions: [UInt64], isReset: Bool = false, at second: Int64 = 0, keySet: [UInt8] = [1],
        epoch: UInt64 = 9
    ) throws -> RevocationUpdate {
        let ends = try positions.map { try end($0, at: second) }
        return RevocationUpdate(
            ends: ends, position: positions.last ?? 0, completeAt: start + .seconds(second),
            isReset: isReset, keySet: keySet, retention: retention, epoch: epoch)
    }

    private func page(
        _ pages: RevocationPages, from position: UInt64, epoch: UInt64 = 9
    ) -> SessionV1.WatchRevocationsItem? {
        var cursor = RevocationCursor(position: position, epoch: epoch)
        return pages.page(&cursor)
    }

    @Test("no page is sent before the log is filled")
    func unfilled() {
        #expect(page(RevocationPages(), from: 0) == nil)
    }

    @Test("each position before, within, at the end of and beyond the log gives the right page")
    func positions() throws {
        var pages = RevocationPages()
        pages.take(try Self.update([5, 6, 7], isReset: true))
        let table: [(from: UInt64, ends: [UInt64], reset: Bool)] = [
            (0, [5, 6, 7], true), (3, [5, 6, 7], true), (4, [5, 6, 7], false), (5, [6, 7], false),
            (6, [7], false), (7, [], false), (8, [5, 6, 7], true), (.max, [5, 6, 7], true),
        ]
        for row in table {
            let item = try #require(page(pages, from: row.from))
            #expect(item.ends.map(\.position) == row.ends, "from \(row.from)")
            #expect(item.reset == row.reset, "from \(row.from)")
            #expect(item.position == 7)
            #expect(item.completeAtMs == Self.start.milliseconds)
        }
    }

    @Test("old revocations are removed, and a subscriber from before them is reset")
    func forgetting() throws {
        var pages = RevocationPages()
        pages.take(try Self.update([1, 2], isReset: true, at: 0))
        pages.take(try Self.update([3], at: 60))
        pages.take(try Self.update([4], at: 100))
        #expect(pages.count == 2)
        #expect(try #require(page(pages, from: 1)).reset)
        let item = try #require(page(pages, from: 2))
        #expect(!item.reset && item.ends.map(\.position) == [3, 4])
    }

    @Test("B21: memory used by many revocations is released once they are removed")
    func memory() throws {
        var pages = RevocationPages()
        pages.take(try Self.update(Array(1...10_000), isReset: true, at: 0))
        #expect(pages.count == 10_000 && pages.capacity >= 10_000)
        pages.take(try Self.update([10_001], at: 101))
        #expect(pages.count == 1)
        #expect(pages.capacity < 100)
        #expect(try #require(page(pages, from: 10_000)).ends.map(\.position) == [10_001])
    }

    @Test("a replaced log resets its subscribers, even if their position exists in it")
    func replaced() throws {
        var pages = RevocationPages()
        pages.take(try Self.update([1, 2, 3], isReset: true))
        var cursor = RevocationCursor(position: 0, epoch: 9)
        _ = pages.page(&cursor)
        pages.take(try Self.update([2, 3, 4], isReset: true))
        let item = try #require(pages.page(&cursor))
        #expect(item.reset && item.ends.map(\.position) == [2, 3, 4])
    }

    @Test("after a restored backup a subscriber with the lost store's epoch starts over")
    func restored() throws {
        var lost = RevocationPages()
        lost.take(try Self.update([1, 2, 3, 4, 5], isReset: true))
        var restored = RevocationPages()
        restored.take(try Self.update([1, 2], isReset: true, epoch: 10))
        restored.take(try Self.update([3, 4, 5, 6], epoch: 10))
        for position in UInt64(1)...6 {
            let item = try #require(page(restored, from: position))
            #expect(item.reset && item.ends.map(\.position) == [1, 2, 3, 4, 5, 6])
            #expect(item.epoch == 10)
            let own = try #require(page(restored, from: position, epoch: 10))
            #expect(!own.reset && own.ends.count == Int(6 - position))
        }
        // A subscriber from before epochs sends none; one at the start needs none.
        #expect(try #require(page(restored, from: 5, epoch: 0)).reset)
        #expect(try #require(page(restored, from: 0, epoch: 0)).reset == false)
    }

    @Test(
        "a log that follows another epoch replaces its entries and resets its subscribers")
    func followed() throws {
        var pages = RevocationPages()
        pages.take(try Self.update([1, 2, 3], isReset: true))
        var cursor = RevocationCursor(position: 0, epoch: 0)
        _ = pages.page(&cursor)
        pages.take(try Self.update([2, 3, 4], epoch: 10))
        let item = try #require(pages.page(&cursor))
        #expect(item.reset && item.epoch == 10 && item.ends.map(\.position) == [2, 3, 4])
    }

    @Test("many revocations are sent in several items; only the last says that it is complete")
    func paging() throws {
        var pages = RevocationPages()
        let count = UInt64(2 * RevocationPages.endsInItemMax + 1)
        pages.take(try Self.update(Array(1...count), isReset: true))
        var cursor = RevocationCursor(position: 77_777, epoch: 9)
        var seen: [UInt64] = []
        for page in 0..<3 {
            let item = try #require(pages.page(&cursor))
            seen += item.ends.map(\.position)
            #expect(item.reset == (page == 0))
            #expect((item.completeAtMs > 0) == (page == 2))
            #expect(item.encoded().count < 128 * 1_024 / 2)
        }
        #expect(seen == Array(1...count))
    }

    @Test("a changed key set is announced once, and each item has the current one")
    func keys() throws {
        var pages = RevocationPages()
        pages.take(try Self.update([], isReset: true, keySet: [1]))
        var cursor = RevocationCursor(position: 0, epoch: 9)
        let first = try #require(pages.page(&cursor))
        #expect(!first.keysChanged && first.keySet == [1])
        pages.take(try Self.update([], keySet: [2]))
        let second = try #require(pages.page(&cursor))
        #expect(second.keysChanged && second.keySet == [2])
        #expect(try #require(pages.page(&cursor)).keysChanged == false)
    }

    @Test("every subscriber ends with the same set, however often it reconnects")
    func schedules() throws {
        for seed in UInt64(1)...200 {
            let randomness = SeededRandomness(seed: seed)
            var pages = RevocationPages()
            var (position, second): (UInt64, Int64) = (0, 0)
            var follower: [UInt64: Bool] = [:]
            var cursor = RevocationCursor(position: 0, epoch: 9)
            var inserted: [(position: UInt64, second: Int64)] = []
            for _ in 0..<40 {
                second += Int64(randomness.integer() % 20)
                let count = randomness.integer() % 4
                let new = (0..<count).map { position + 1 + $0 }
                position += count
                inserted += new.map { (position: $0, second: second) }
                pages.take(
                    RevocationUpdate(
                        ends: try new.map { try Self.end($0, at: second) }, position: position,
                        completeAt: Self.start + .seconds(second), isReset: false, keySet: [1],
                        retention: Self.retention, epoch: 9))
                switch randomness.integer() % 4 {
                case 0: break  // disconnected
                // reconnects
                case 1: cursor = RevocationCursor(position: cursor.position, epoch: 9)
                default:
                    let item = try #require(pages.page(&cursor))
                    for end in item.ends { follower[end.position] = true }
                }
            }
            let item = try #require(pages.page(&cursor))
            for end in item.ends { follower[end.position] = true }
            for end in inserted where end.second > second - 100 {
                #expect(follower[end.position] == true, "seed \(seed), end \(end.position)")
            }
        }
    }
}
