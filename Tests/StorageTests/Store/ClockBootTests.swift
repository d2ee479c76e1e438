import Logging
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

/// A server's mark has no boot, and a start tolerates seconds between several machines.
@Suite(
    "Clock: the mark and the boot of one machine", .enabled(if: TestStore.runs("*Clock*")))
struct ClockBootTests {
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
