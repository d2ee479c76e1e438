import Logging
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Clock: the store's high-water mark")
struct ClockMarkTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()
    private let log = CapturedLog()

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> Store {
        try Store(
            folder: folder.path, name: "clock", migrations: [], time: time,
            logger: log.logger(time: time))
    }

    private func mark(_ store: Store) async throws -> Int64? {
        try await store.read { session in
            try session.queryOne("SELECT at_ms FROM clock_mark") { try $0.integer(0) }
        }
    }

    @Test("the first commit of a start writes it, later ones once an interval")
    func written() async throws {
        let store = try open()
        defer { store.close() }
        #expect(store.clockStart == .agrees)
        #expect(try await mark(store) == nil)
        let start = time.now()
        try await store.write { _ in }
        #expect(try await mark(store) == start.milliseconds)
        time.advance(by: ClockMark.interval - .milliseconds(1))
        try await store.write { _ in }
        #expect(try await mark(store) == start.milliseconds)
        time.advance(by: .milliseconds(1))
        try await store.write { _ in }
        #expect(try await mark(store) == (start + ClockMark.interval).milliseconds)
    }

    @Test("where nobody writes it is kept fresh all the same")
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

    @Test("a start on a clock that is behind goes on from the mark, and never moves it back")
    func behind() async throws {
        let first = try open()
        try await first.write { _ in }
        first.close()
        let mark = time.now()
        time.startAnew(at: mark - .seconds(3_600))
        let second = try open()
        defer { second.close() }
        #expect(second.clockStart == .behind(mark: mark))
        #expect(time.now() == mark)
        #expect(log.lines.contains { $0.contains("goes on from the store's") })
        try await second.write { _ in }
        #expect(try await self.mark(second) == mark.milliseconds)
    }

    @Test("a start far ahead is told, and the time is left to whoever ends things by it")
    func farAhead() async throws {
        let first = try open()
        try await first.write { _ in }
        first.close()
        let mark = time.now()
        let wall = mark + .seconds(10 * 86_400)
        time.startAnew(at: wall)
        let second = try open()
        defer { second.close() }
        #expect(second.clockStart == .farAhead(mark: mark))
        #expect(time.now() == wall)
    }
}
