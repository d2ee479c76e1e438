import Logging
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "Clock: the store's high-water mark", .enabled(if: TestStore.runs("ClockMarkTests")))
struct ClockMarkTests {
    private static let year = Duration.seconds(365 * 86_400)
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let log = CapturedLog()

    init() throws { folder = try TemporaryFolder() }

    private func open(accepting acceptsClock: Bool = false) throws -> Store {
        try TestStore.open(
            "clock", [], in: folder.path, acceptsClock: acceptsClock, time: time,
            logger: log.logger(time: time))
    }

    /// Opens the store as a restarted program does, writes, and closes it.
    /// - Returns: how the clock compared with the mark.
    private func run(accepting acceptsClock: Bool = false) async throws -> ClockStart {
        let store = try open(accepting: acceptsClock)
        defer { store.close() }
        try await store.write(about: []) { _ in }
        return store.clock.start
    }

    private func mark(_ store: Store) async throws -> Int64? {
        try await store.read { session in
            try session.queryOne("SELECT at_ms FROM clock_mark") { try $0.integer(0) }
        }
    }

    @Test("the first commit after a start writes the mark, later ones once per interval")
    func written() async throws {
        let store = try open()
        defer { store.close() }
        #expect(store.clock.start == .agrees)
        #expect(try await mark(store) == nil)
        let start = time.now()
        try await store.write(about: []) { _ in }
        #expect(try await mark(store) == start.milliseconds)
        time.advance(by: ClockMark.interval - .milliseconds(1))
        try await store.write(about: []) { _ in }
        #expect(try await mark(store) == start.milliseconds)
        time.advance(by: .milliseconds(1))
        try await store.write(about: []) { _ in }
        #expect(try await mark(store) == (start + ClockMark.interval).milliseconds)
    }

    @Test("without writes the mark is still updated each interval")
    func idle() async throws {
        let store = try open()
        defer { store.close() }
        let marking = ClockMarking(store: store, time: time)
        let start = time.now()
        await withThrowingTaskGroup { group in
            group.addTask { try await marking.run() }
            for _ in 1...3 {
                await time.sleepers(1)
                time.advance(by: ClockMark.interval)
            }
            await time.sleepers(1)
            group.cancelAll()
        }
        #expect(try await mark(store) == (start + ClockMark.interval * 3).milliseconds)
    }

    @Test("a start with a clock that is behind continues from the mark and never moves it back")
    func behind() async throws {
        let first = try open()
        try await first.write(about: []) { _ in }
        first.close()
        let mark = time.now()
        time.restartAfterBoot(at: mark - .seconds(3_600))
        let second = try open()
        defer { second.close() }
        #expect(second.clock.start == .behind(mark: mark))
        #expect(time.now() == mark)
        #expect(log.lines.contains { $0.contains("clock.behind") })
        try await second.write(about: []) { _ in }
        #expect(try await self.mark(second) == mark.milliseconds)
    }

    @Test("a start with a clock far ahead continues from the mark and stores no wrong time")
    func farAhead() async throws {
        #expect(try await run() == .agrees)
        let mark = time.now()
        time.restartAfterBoot(at: mark + Self.year)
        let store = try open()
        #expect(store.clock.start == .farAhead(mark: mark))
        #expect(time.now() == mark)
        #expect(store.clock.isHeld)
        time.advance(by: .seconds(60))
        try await store.write(about: []) { transaction in
            #expect(transaction.at == mark + .seconds(60))
        }
        #expect(try await self.mark(store) == (mark + .seconds(60)).milliseconds)
        store.close()
        // The clock is corrected and the program restarts: nothing of the error is left.
        time.startAgain(at: mark + .seconds(90))
        #expect(try await run() == .agrees)
        #expect(time.now() == mark + .seconds(90))
    }

    @Test("a store that waits for its clock accepts it within an interval of its correction")
    func comesBack() async throws {
        _ = try await run()
        let mark = time.now()
        time.restartAfterBoot(at: mark + Self.year)
        let store = try open()
        defer { store.close() }
        await withThrowingTaskGroup { group in
            group.addTask { try await ClockMarking(store: store, time: time).run() }
            await time.sleepers(1)
            time.stepWallClock(by: .zero - Self.year + .seconds(3_600))
            time.advance(by: ClockMark.interval)
            await time.sleepers(1)
            group.cancelAll()
        }
        #expect(!store.clock.isHeld)
        #expect(time.now() == mark + .seconds(3_600) + ClockMark.interval)
    }

    @Test("a machine that was off for a year accepts its clock once a time server confirms it")
    func synchronised() async throws {
        _ = try await run()
        let mark = time.now()
        time.restartAfterBoot(at: mark + Self.year)
        let store = try open()
        #expect(store.clock.isHeld)
        time.setSynchronised(true)
        #expect(!store.clock.isHeld)
        #expect(time.now() == mark + Self.year)
        store.close()
        time.restartAfterBoot(at: mark + Self.year)
        #expect(try await run() == .agrees)
        #expect(time.now() == mark + Self.year)
    }

    @Test("a program restarted after a clock step agrees with those that kept running")
    func sameBoot() async throws {
        for step in [Duration.seconds(3_600), .seconds(-3_600), Self.year, .zero - Self.year] {
            _ = try await run()
            time.stepWallClock(by: step)
            time.advance(by: .seconds(200))
            let others = time.now()
            time.startAgain()
            #expect(time.now() == others + step)
            #expect(try await run() == .counted(others))
            #expect(time.now() == others)
            time.restartAfterBoot(at: others)
        }
        #expect(log.lines.filter { $0.contains("clock.stepped") }.count == 4)
    }

    @Test("a clock that waits for acceptance still waits after a restart, and acceptance is stored")
    func accepted() async throws {
        _ = try await run()
        let mark = time.now()
        time.restartAfterBoot(at: mark + Self.year)
        #expect(try await run() == .farAhead(mark: mark))
        time.advance(by: .seconds(200))
        time.startAgain()
        #expect(try await run() == .farAhead(mark: mark + .seconds(200)))
        time.startAgain()
        #expect(try await run(accepting: true) == .agrees)
        let right = time.now()
        #expect(right == mark + Self.year + .seconds(200))
        time.startAgain()
        #expect(try await run() == .counted(right))
    }

    @Test("an older program updates only the mark, so the uptime stored beside it is ignored")
    func olderProgram() async throws {
        _ = try await run()
        let later = time.now() + .seconds(500)
        time.advance(by: .seconds(500))
        let store = try open()
        try await store.write(about: []) {
            _ = try $0.execute("UPDATE clock_mark SET at_ms = ?", [SQLValue(later)])
        }
        // The commit of that transaction wrote its own mark beside it. An older program would not.
        try await store.write(about: []) {
            _ = try $0.execute("UPDATE clock_mark SET boot_at_ms = 1", [])
        }
        store.close()
        time.startAgain(at: later + .seconds(60))
        #expect(try await run() == .agrees)
        #expect(time.now() == later + .seconds(60))
    }
}
