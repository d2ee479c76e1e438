import Logging
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Clock: the store's high-water mark")
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
}
