import ArgumentParser
import Contracts
import ServiceRuntime
import SessionService
import Storage
import TestSupport

/// Durable refreshes a second of the complete session service (rotation, tokens, audit, store):
/// with group commit, with a commit for each, and without the disk. Also the 99th percentile of
/// refreshes with group commit, with as many in flight as there are workers; and how many there are
/// where each account has roles and claims of 1,000 bytes.
struct Refreshes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "refreshes")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Refreshes at the same time.")
    var workers = 256
    @Option(help: "Sessions that refresh in turn.")
    var sessions = 16_384
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind, alternating; the median counts.")
    var runs = 3

    func run() async throws {
        var group: [Double] = []
        var single: [Double] = []
        var noDisk: [Double] = []
        var p99s: [Double] = []
        var claimed: [Double] = []
        for run in 0..<runs {
            let latencies = Latencies()
            group.append(
                try await refreshes("group-\(run)", .full, flowsMax: nil, latencies))
            p99s.append(latencies.p99Milliseconds)
            claimed.append(
                try await refreshes("claims-\(run)", .full, flowsMax: nil, with: Self.claims))
            single.append(try await refreshes("single-\(run)", .full, flowsMax: 1))
            noDisk.append(try await refreshes("none-\(run)", .noneForMeasuring, flowsMax: nil))
        }
        CommitFigures(
            subject: "refreshes", group: .median(group), single: .median(single),
            noDisk: .median(noDisk)
        ).report()
        Figure(name: "refreshes-in-groups-p99", value: .median(p99s), unit: "ms").report()
        Figure(name: "refreshes-with-claims", value: .median(claimed), unit: "refreshes/s").report()
        Figure(
            name: "refreshes-with-claims-to-without", value: .median(claimed) / .median(group),
            unit: "×"
        ).report()
    }

    /// The largest claims: 1,000 bytes in the token.
    private static var claims: AccountClaims {
        let members = (0..<30).map { #""claim-\#($0 + 10)":[\#($0),"value"]"# }
        let text = #""text":"\#(String(repeating: "x", count: 197))""#
        return AccountClaims(
            roles: (0..<8).map { "role-\($0)" },
            json: "{\((members + [text]).joined(separator: ","))}")
    }

    private func refreshes(
        _ name: String, _ durability: SQLiteEngine.Durability, flowsMax: Int?,
        _ latencies: Latencies = Latencies(), with claims: AccountClaims = AccountClaims()
    ) async throws -> Double {
        var limits = Store.Limits()
        if let flowsMax { limits.groupFlowsMax = flowsMax }
        let store = try TestStore.open(
            SessionTables.storeName, SessionTables.migrations, in: "\(folder)/\(name)",
            engine: SQLiteEngine(durability: durability), limits: limits, time: SystemTime(),
            logger: .silent)
        defer { store.close() }
        let fixture = try await SessionFixture(store: store)
        let families = try await fixture.families(sessions, with: claims)
        return try await Throughput(workers: workers, duration: .seconds(seconds))
            .measure { _ in
                try await latencies.record { try await fixture.refreshNext(of: families) }
            }
    }
}
