import ArgumentParser
import CoreMetrics
import FoundationEssentials
import Glibc
import ServiceRuntime
import SessionService
import Storage
import Synchronization
import TestSupport

/// Refreshes a second with a store on a server: of the complete session service, and of the store
/// alone (no token, no signature, no memory), with its CPU time. `Server/refresh_floor.c` does the
/// same with libpq alone, on the same sessions.
struct ServerRefreshes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "server-refreshes")

    @Option(help: "The server's URL.")
    var url: String
    @Option(help: "The schema.")
    var schema: String
    @Option(help: "The statements of a refresh, a line each.")
    var texts: String
    @Option(help: "A folder for what a store has in files.")
    var folder: String
    @Option(help: "Connections of the store.")
    var connections = 16
    @Option(help: "Refreshes at the same time, for each connection.")
    var workers = 4
    @Option(help: "Sessions that refresh in turn.")
    var sessions = 4_096
    @Option(help: "Seconds of each run.")
    var seconds = 3

    func run() async throws {
        let metrics = MetricsRegistry()
        MetricsSystem.bootstrap(metrics)
        var settings = try ServerSettings(url: url, schema: schema)
        settings.connections = connections
        let store = try TestStore.open(
            at: .server(settings, folder: folder, name: SessionTables.storeName),
            SessionTables.migrations, time: SystemTime(), logger: .silent)
        defer { store.close() }
        let fixture = try await SessionFixture(store: store)
        let families = try await fixture.families(sessions)
        // Two days old: many refreshes of newcomers at one address are counted in one row.
        try await store.write(about: []) { transaction in
            try transaction.put(
                "UPDATE session SET created_at_ms = created_at_ms - ?", [.integer(172_800_000)])
        }
        let throughput = Throughput(
            workers: connections * workers, duration: .seconds(seconds))
        let before = Self.repeats(metrics)
        let counted = Count()
        let refreshes = try await throughput.measure { _ in
            try await fixture.refreshNext(of: families)
            counted.add()
        }
        let repeats = Self.repeats(metrics) - before
        Figure(name: "server-refreshes-\(connections)", value: refreshes, unit: "refreshes/s")
            .report()
        Figure(
            name: "server-repeats-\(connections)",
            value: 100 * repeats / Double(counted.value), unit: "%"
        ).report()
        try await measureStore(store, throughput)
    }

    private func measureStore(_ store: Store, _ throughput: Throughput) async throws {
        let flow = try RefreshFlow(texts: texts)
        let rows = try await store.read { try RefreshFlow.rows($0) }
        let (turn, done) = (Turn(rows), Count())
        let before = Self.cpuSeconds
        let flows = try await throughput.measure { _ in
            let row = turn.next
            try await store.write(about: [.row("session", row.id)]) { transaction in
                try flow.run(row, transaction)
            }
            done.add()
        }
        Figure(name: "server-store-\(connections)", value: flows, unit: "refreshes/s").report()
        Figure(
            name: "server-store-\(connections)-cpu",
            value: (Self.cpuSeconds - before) / Double(done.value) * 1e6, unit: "µs"
        ).report()
    }

    /// Flows that ran again so far, whatever the cause.
    private static func repeats(_ metrics: MetricsRegistry) -> Double {
        metrics.prometheusText().split(separator: "\n")
            .filter { $0.hasPrefix("postern_store_repeats_total{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0, +)
    }

    /// CPU time of this process so far.
    private static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// How often something was done.
private final class Count: Sendable {
    private let count = Atomic(0)

    /// At least 1, since it is divided by.
    var value: Int { max(1, count.load(ordering: .relaxed)) }

    func add() { count.add(1, ordering: .relaxed) }
}

/// Sessions whose turn it is, one after the other.
private final class Turn: Sendable {
    private let rows: [RefreshFlow.Row]
    private let taken = Atomic(0)

    init(_ rows: [RefreshFlow.Row]) { self.rows = rows }

    var next: RefreshFlow.Row {
        rows[taken.wrappingAdd(1, ordering: .relaxed).oldValue % rows.count]
    }
}

/// What a refresh does with its store: reads the session, changes it if it is as it was read, and
/// writes the record.
private struct RefreshFlow: Sendable {
    struct Row: Sendable {
        let id: Int64
        let account: Int64
    }

    private let select: String
    private let update: String
    private let insert: String

    init(texts: String) throws {
        let text = try String(contentsOfFile: texts, encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.count == 3 else { throw ValidationError("\(texts) has not three lines") }
        (select, update, insert) = (lines[0], lines[1], lines[2])
    }

    static func rows(_ session: any SQLSession) throws -> [Row] {
        try session.query("SELECT id, account FROM session WHERE ended_at_ms IS NULL", []) {
            Row(id: try $0.integer(0), account: try $0.integer(1))
        }
    }

    func run(_ row: Row, _ transaction: Transaction) throws {
        let counter = try transaction.queryOne(select, [.integer(row.id)]) {
            try $0.integer("counter")
        }
        guard let counter else { throw ValidationError("a session is missing") }
        let changed = try transaction.execute(
            update,
            [
                .integer(counter + 1), SQLValue(transaction.at), SQLValue(transaction.at),
                .integer(row.id), .integer(counter),
            ])
        guard changed == 1 else { throw ValidationError("a session has changed") }
        let hash = SQLValue.blob([UInt8](repeating: 7, count: 32))
        try transaction.put(
            insert,
            [
                SQLValue(transaction.at), .text("session.refreshed"), .integer(row.account),
                .integer(row.id), .null, hash, hash, .null, .null, .null, .null,
            ])
    }
}
