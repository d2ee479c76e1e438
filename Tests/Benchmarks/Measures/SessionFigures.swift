import ArgumentParser
import Glibc
import ServiceRuntime
import SessionService
import Storage
import TestSupport

/// Sessions in numbers: how many are opened a second, durably; the size of a million on disk and in
/// memory; and whether a refresh among a million costs more than among a thousand.
struct SessionFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sessions")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Concurrent callers.")
    var workers = 256
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs; the median counts.")
    var runs = 3
    @Option(help: "Sessions of the large store.")
    var sessions = 1_000_000

    func run() async throws {
        let empty = try store("openings")
        let fixture = try await SessionFixture(store: empty)
        var openings: [Double] = []
        for _ in 0..<runs { openings.append(try await rate { _ in _ = try await fixture.open() }) }
        empty.close()
        Figure(name: "session-openings", value: .median(openings), unit: "sessions/s").report()
        try await compare()
    }

    private func compare() async throws {
        let small = try await CrowdedStore(store("small"), sessions: 1_000)
        let large = try await CrowdedStore(store("large"), sessions: sessions)
        let bytes = try large.bytesOnDisk(since: small)
        Figure(name: "session-bytes-on-disk", value: bytes, unit: "B").report()
        let before = CrowdedStore.residentBytes()
        let fixtures = (
            try await SessionFixture(store: small.store),
            try await SessionFixture(store: large.store)
        )
        var (few, many): ([Double], [Double]) = ([], [])
        // They refresh in turn.
        let count = 8 * workers
        let families = (
            try await fixtures.0.families(count), try await fixtures.1.families(count)
        )
        for _ in 0..<runs {
            few.append(try await rate { _ in try await fixtures.0.refreshNext(of: families.0) })
            many.append(try await rate { _ in try await fixtures.1.refreshNext(of: families.1) })
        }
        let resident = Double(CrowdedStore.residentBytes() - before) / Double(sessions)
        Figure(name: "session-bytes-resident", value: resident, unit: "B").report()
        Figure(name: "refreshes-among-1000", value: .median(few), unit: "refreshes/s").report()
        Figure(name: "refreshes-among-many", value: .median(many), unit: "refreshes/s").report()
        Figure(
            name: "refresh-cost-among-many", value: .median(few) / .median(many), unit: "×"
        ).report()
        small.store.close()
        large.store.close()
    }

    private func rate(_ act: @escaping @Sendable (Int) async throws -> Void) async throws -> Double
    {
        try await Throughput(workers: workers, duration: .seconds(seconds)).measure(act)
    }

    private func store(_ name: String) throws -> Store {
        try TestStore.open(
            SessionTables.storeName, SessionTables.migrations, in: "\(folder)/\(name)",
            engine: SQLiteEngine(), time: SystemTime(), logger: .silent)
    }
}

/// A store with many sessions besides those that are measured.
struct CrowdedStore {
    let store: Store
    private let sessions: Int

    /// Fills a store with live sessions of different accounts, with the rows of a sign-in: session,
    /// sealed device name, audit record.
    init(_ store: Store, sessions: Int) async throws {
        self.store = store
        self.sessions = sessions
        let (step, now) = (10_000, SystemTime().now().milliseconds)
        for from in stride(from: 0, to: sessions, by: step) {
            let count = Int64(min(step, sessions - from))
            try await store.write(about: []) { transaction in
                try transaction.put(Self.rows, [.integer(now), .integer(count)])
                try transaction.put(Self.records, [.integer(now), .integer(count)])
            }
        }
        try await store.truncateLog()
    }

    private static let rows = """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
        INSERT INTO session (
            id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms, methods,
            platform, device, device_name)
        SELECT abs(random()), abs(random()), 1, ?1, ?1, ?1, ?1, 'pwd', 'ios', randomblob(16),
            randomblob(42) FROM number
        """

    private static let records = """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
        INSERT INTO audit (at_ms, kind, account, session, client_address, device)
        SELECT ?1, 'session.started', abs(random()), abs(random()), randomblob(16), randomblob(16)
        FROM number
        """

    /// Bytes of the database for each additional session, compared with another store.
    func bytesOnDisk(since other: CrowdedStore) throws -> Double {
        Double(bytes - other.bytes) / Double(sessions - other.sessions)
    }

    private var bytes: Int {
        var status = stat()
        return stat(store.location, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Resident memory of this process: the second number of statm, in pages.
    static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(
            decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text.split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
    }
}
