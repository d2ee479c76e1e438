import ArgumentParser
import ServiceRuntime
import Storage
import TestSupport

/// Durable writes a second: with group commit, with a commit for each flow, and without the disk.
///
/// Each flow changes one row and writes one audit event, as a refresh does.
struct GroupCommit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "group-commit")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Concurrent flows.")
    var workers = 256
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind, alternating; the median counts.")
    var runs = 3

    /// Rows that the flows change, one for each worker.
    private static let migration = Migration(
        number: 1, sql: "CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")

    func run() async throws {
        var group: [Double] = []
        var single: [Double] = []
        var noDisk: [Double] = []
        for run in 0..<runs {
            group.append(try await writes("group-\(run)", .full, flowsMax: nil))
            single.append(try await writes("single-\(run)", .full, flowsMax: 1))
            noDisk.append(try await writes("none-\(run)", .noneForMeasuring, flowsMax: nil))
        }
        CommitFigures(
            subject: "writes", group: .median(group), single: .median(single),
            noDisk: .median(noDisk)
        ).report()
    }

    private func writes(
        _ name: String, _ durability: SQLiteEngine.Durability, flowsMax: Int?
    ) async throws -> Double {
        var limits = Store.Limits()
        if let flowsMax { limits.groupFlowsMax = flowsMax }
        let store = try TestStore.open(
            name, [Self.migration], in: folder, engine: SQLiteEngine(durability: durability),
            limits: limits, time: SystemTime(), logger: .silent)
        defer { store.close() }
        let workers = workers
        try await store.write(about: []) { transaction in
            for id in 0..<workers {
                _ = try transaction.execute(
                    "INSERT INTO counter (id, value) VALUES (?, 0)", [.integer(Int64(id))])
            }
        }
        return try await Throughput(workers: workers, duration: .seconds(seconds))
            .measure { worker in
                try await store.write(about: []) { transaction in
                    _ = try transaction.execute(
                        "UPDATE counter SET value = value + 1 WHERE id = ?",
                        [.integer(Int64(worker))])
                    try transaction.audit(
                        AuditEvent(.sessionRefreshed, account: Int64(worker)))
                }
            }
    }
}
