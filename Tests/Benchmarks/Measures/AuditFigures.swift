import ArgumentParser
import ServiceRuntime
import SessionService
import Storage
import TestSupport

/// What the audit trail's index and links cost, and what they give: refreshes and openings of
/// sessions with and without both, a page of an account's records among many, and proven records a
/// second.
struct AuditFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "audit")

    /// The account whose records are read, of which there are few among those of others.
    private static let account: Int64 = 7

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Concurrent callers.")
    var workers = 256
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind, alternating; the median counts.")
    var runs = 3
    @Option(help: "Records of the large trail.")
    var records = 10_000_000
    @Option(help: "Records that are linked and proven.")
    var proven = 1_000_000

    func run() async throws {
        try await writes()
        try await pages()
        try await proofs()
    }

    /// Refreshes and openings, by turns with and without index and duties.
    private func writes() async throws {
        var (refreshes, openings) = ([true: [Double](), false: []], [true: [Double](), false: []])
        for run in 0..<runs {
            for isLinked in [true, false] {
                let store = try await sessions("writes-\(run)-\(isLinked)", isLinked: isLinked)
                let fixture = try await SessionFixture(store: store)
                let families = try await fixture.families(16_384)
                let time = SystemTime()
                let duties = Task {
                    await Duties(of: store, purging: [], [], time: time).run()
                }
                refreshes[isLinked, default: []].append(
                    try await rate { _ in try await fixture.refreshNext(of: families) })
                openings[isLinked, default: []].append(
                    try await rate { _ in _ = try await fixture.open() })
                duties.cancel()
                await duties.value
                store.close()
            }
        }
        report("audit-refreshes", refreshes, "refreshes/s")
        report("audit-openings", openings, "sessions/s")
    }

    private func report(_ name: String, _ rates: [Bool: [Double]], _ unit: String) {
        let (linked, bare) = (Double.median(rates[true] ?? []), Double.median(rates[false] ?? []))
        Figure(name: name, value: linked, unit: unit).report()
        Figure(name: "\(name)-to-without", value: linked / bare, unit: "×").report()
    }

    /// The time of a page of an account's records among few and among many.
    private func pages() async throws {
        let small = try await filled("pages-small", 10_000)
        let large = try await filled("pages-large", records)
        var (few, many): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            few.append(try await pageTime(small))
            many.append(try await pageTime(large))
        }
        Figure(name: "audit-page-among-10000", value: .median(few), unit: "µs").report()
        Figure(name: "audit-page-among-many", value: .median(many), unit: "µs").report()
        Figure(
            name: "audit-page-cost-among-many", value: .median(many) / .median(few), unit: "×"
        ).report()
        small.close()
        large.close()
    }

    private func pageTime(_ store: Store) async throws -> Double {
        let count = 1_000
        return try await microseconds {
            for _ in 0..<count {
                _ = try await store.read {
                    try $0.records(of: Self.account, before: nil, limit: 50, .all)
                }
            }
        } / Double(count)
    }

    /// Records that are proven a second, and the same columns read as they are.
    private func proofs() async throws {
        let store = try await filled("proofs", proven)
        let time = SystemTime()
        let duties = Task { await Duties(of: store, purging: [], [], time: time).run() }
        while try await linked(store) < proven { try await time.sleep(for: .milliseconds(100)) }
        duties.cancel()
        await duties.value
        var (reads, proofs): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            let read = try await microseconds { try await readAll(store) }
            let proof = try await microseconds {
                let verification = try TrailVerification(of: store, time: time)
                var part = try await verification.part(after: 0, link: [])
                while !part.isWhole, part.broken == nil {
                    part = try await verification.part(after: part.position, link: part.link)
                }
            }
            reads.append(Double(proven) / read * 1_000_000)
            proofs.append(Double(proven) / proof * 1_000_000)
        }
        Figure(name: "audit-reads", value: .median(reads), unit: "records/s").report()
        Figure(name: "audit-proofs", value: .median(proofs), unit: "records/s").report()
        Figure(
            name: "audit-proofs-to-reads", value: .median(proofs) / .median(reads), unit: "×"
        ).report()
        store.close()
    }

    private func linked(_ store: Store) async throws -> Int {
        let last = try await store.read { session in
            try session.queryOne("SELECT coalesce(max(last_position), 0) FROM audit_link") {
                try $0.integer(0)
            }
        }
        return Int(last ?? 0)
    }

    private func readAll(_ store: Store) async throws {
        var after: Int64 = 0
        while true {
            let last = try await store.read { [after] session in
                try session.query(
                    """
                    SELECT number, at_ms, kind, account, session, subject, client_address, device,
                        outcome, attempt, actor, app, detail, country, agent
                    FROM audit WHERE number > ? ORDER BY number LIMIT 2000
                    """, [.integer(after)]
                ) { $0.values }.last?.first
            }
            guard case .integer(let number)? = last else { return }
            after = number
        }
    }

    /// A store with records of other accounts, and 200 of one among them.
    private func filled(_ name: String, _ count: Int) async throws -> Store {
        let store = try await sessions(name, isLinked: true)
        let (step, at) = (10_000, SystemTime().now().milliseconds - 120_000)
        let every = Int64(max(1, count / 200))
        for from in stride(from: 0, to: count, by: step) {
            let part = Int64(min(step, count - from))
            try await store.write(about: []) { transaction in
                try transaction.put(
                    Self.rows,
                    [
                        .integer(at), .integer(part), .integer(Int64(from)), .integer(every),
                        .integer(Self.account),
                    ])
            }
        }
        try await store.truncateLog()
        return store
    }

    private static let rows = """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
        INSERT INTO audit (at_ms, kind, account, session, client_address, device)
        SELECT ?1, 'session.started',
            CASE WHEN (n + ?3) % ?4 = 0 THEN ?5 ELSE abs(random()) END, abs(random()),
            randomblob(16), randomblob(16)
        FROM number
        """

    /// A store of the session service, with its audit trail's index and links, or without both.
    private func sessions(_ name: String, isLinked: Bool) async throws -> Store {
        let trail = try isLinked ? AuditTrail.test() : nil
        let store = try TestStore.open(
            SessionTables.storeName, SessionTables.migrations, in: "\(folder)/\(name)",
            engine: SQLiteEngine(), auditTrail: trail, time: SystemTime(), logger: .silent)
        if !isLinked {
            try await store.write(about: []) { try $0.put("DROP INDEX audit_by_account", []) }
        }
        return store
    }

    private func rate(_ act: @escaping @Sendable (Int) async throws -> Void) async throws -> Double
    {
        try await Throughput(workers: workers, duration: .seconds(seconds)).measure(act)
    }

    private func microseconds(_ act: () async throws -> Void) async rethrows -> Double {
        let began = ContinuousClock.now
        try await act()
        return Double((ContinuousClock.now - began).nanoseconds) / 1_000
    }
}
