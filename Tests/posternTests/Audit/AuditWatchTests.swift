import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import postern

@Suite("A-03: `postern audit watch`: each entry at least once, in one order")
struct AuditWatchTests {
    /// The feeds of two services, as `EventFeed` serves them.
    private final class Feeds: Sendable {
        private let events = Mutex<[String: [EventsV1.Event]]>([:])
        private let away = Mutex<Set<String>>([])

        func add(_ service: String, at atMs: Int64, _ kind: String = "session.started") {
            events.withLock { events in
                let position = Int64(events[service, default: []].count + 1)
                events[service, default: []].append(
                    EventsV1.Event(position: position, atMs: atMs, kind: kind))
            }
        }

        func setAway(_ service: String, _ isAway: Bool) {
            away.withLock { away in
                if isAway { _ = away.insert(service) } else { _ = away.remove(service) }
            }
        }

        func read(
            _ service: String, _ request: EventsV1.ReadEventsRequest, at now: Timestamp
        ) throws -> EventsV1.ReadEventsResponse {
            guard !away.withLock({ $0.contains(service) }) else {
                throw ServiceError(.unavailable)
            }
            let all = events.withLock { $0[service] ?? [] }
            let last = all.last.map { ($0.position, $0.atMs) } ?? (0, 0)
            if request.positionOnly {
                return .init(
                    position: last.0, isWhole: true, readAtMs: now.milliseconds,
                    positionAtMs: last.1)
            }
            let after =
                request.after == .max
                ? all.last { $0.atMs <= request.afterAtMs }?.position ?? 0 : request.after
            let rest = all.filter { $0.position > after }
            let page = rest.prefix(3)
            let wanted = page.filter { event in
                request.kinds.isEmpty || request.kinds.contains(event.kind)
            }
            return .init(
                events: Array(wanted), position: page.last?.position ?? after,
                isWhole: page.count == rest.count, readAtMs: now.milliseconds,
                positionAtMs: page.last?.atMs ?? request.afterAtMs)
        }
    }

    private let feeds = Feeds()
    private let time = ManualTime()

    private func watch(
        kinds: [String] = [], since: Int64? = nil,
        from positions: [String: AuditWatch.Position] = [:]
    ) -> AuditWatch {
        AuditWatch(
            services: ["identity", "session"], kinds: kinds, since: since, positions: positions
        ) { [feeds, time] service, request in
            try feeds.read(service, request, at: time.now())
        }
    }

    private var now: Int64 { time.now().milliseconds }

    private func look(_ watch: inout AuditWatch) async throws -> [String] {
        _ = try await watch.look(at: time.now()) { _ in }
        return watch.takeSettled(at: time.now()).map { "\($0.service) \($0.position)" }
    }

    @Test("entries of all services come in the order of time, those before the start do not")
    func order() async throws {
        feeds.add("session", at: now)
        var watch = watch()
        #expect(try await look(&watch).isEmpty)
        feeds.add("session", at: now + 20)
        feeds.add("identity", at: now + 10)
        feeds.add("session", at: now + 30)
        #expect(try await look(&watch).isEmpty, "one of an earlier time may still be committed")
        time.advance(by: .seconds(2))
        #expect(try await look(&watch) == ["identity 1", "session 2", "session 3"])
        #expect(try await look(&watch).isEmpty)
    }

    @Test("a watch that goes on from stored positions misses nothing and repeats nothing")
    func restarted() async throws {
        for number in 0..<10 { feeds.add("identity", at: now + Int64(number)) }
        time.advance(by: .seconds(2))
        var first = watch(since: 1)
        var seen = try await look(&first)
        var positions = first.positions
        while seen.count < 10 {
            var next = watch(from: positions)
            seen += try await look(&next)
            positions = next.positions
        }
        #expect(seen == (1...10).map { "identity \($0)" })
    }

    @Test("a start in the past finds the entries of that time and later")
    func since() async throws {
        let start = now
        for number in 0..<4 { feeds.add("session", at: start + Int64(number) * 1_000) }
        time.advance(by: .seconds(10))
        var watch = watch(since: start + 2_000)
        #expect(try await look(&watch) == ["session 3", "session 4"])
    }

    @Test("entries of other kinds are passed over, also many in a row")
    func kinds() async throws {
        for number in 0..<20 { feeds.add("session", at: now + Int64(number), "session.refreshed") }
        feeds.add("session", at: now + 20)
        time.advance(by: .seconds(2))
        var watch = watch(kinds: ["session.started"], since: 1)
        #expect(try await look(&watch) == ["session 21"])
        #expect(watch.positions["session"]?.position == 21)
    }

    @Test("a service that is away delays the others for ten seconds, and is noted once")
    func away() async throws {
        var watch = watch()
        _ = try await look(&watch)
        feeds.setAway("identity", true)
        feeds.add("session", at: now + 1)
        time.advance(by: .seconds(2))
        var notes: [String] = []
        for _ in 0..<2 {
            _ = try await watch.look(at: time.now()) { notes.append($0) }
            #expect(watch.takeSettled(at: time.now()).isEmpty)
        }
        #expect(notes == ["identity does not answer; it is asked again"])
        time.advance(by: .seconds(10))
        #expect(try await look(&watch) == ["session 1"])
        feeds.setAway("identity", false)
        feeds.add("identity", at: now)
        time.advance(by: .seconds(2))
        #expect(try await look(&watch) == ["identity 1"])
    }

    @Test("a state is read as it was written, and another file is refused")
    func state() throws {
        let folder = try TemporaryFolder()
        let state = WatchState(path: folder.file("state"))
        #expect(try state.read().isEmpty)
        let positions = [
            "session": AuditWatch.Position(position: 17, atMs: 5),
            "identity": AuditWatch.Position(position: 0, atMs: 0),
        ]
        try state.write(positions)
        #expect(try state.read() == positions)
        for text in ["", "[]", "{\"session\":17}", "{\"session\":{\"position\":1}}"] {
            try TextFile.replace(state.path, with: text)
            #expect(throws: ToolError.self) { try state.read() }
        }
    }

    @Test("lines are added to the file, after a line that a crash has cut off")
    func lines() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("audit.jsonl")
        let entry = AuditWatch.Entry(
            service: "session", event: .init(position: 1, atMs: 1, kind: "session.started"),
            place: 0)
        try WatchedLines(isJSON: true, path: path).write([entry])
        let whole = try TextFile.read(path)
        try TextFile.replace(path, with: Array(whole.dropLast(20)))
        try WatchedLines(isJSON: true, path: path).write([entry, entry])
        let lines = try TextFile.read(path).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 3)
        #expect(Array(lines[1]) == Array(whole.dropLast()) && lines[1] == lines[2])
    }
}
