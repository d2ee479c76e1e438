import ArgumentParser
import Contracts
import Glibc
import RateLimitService
import ServiceRuntime
import Synchronization

/// The limiter's table without RPC: decisions a second on one core and their 99th percentile, with
/// ten thousand, a million and many keys; memory of each of many keys; durable charges a second;
/// and the time of a restart with many keys.
struct LimitsCore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "limits-core")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind; the median counts.")
    var runs = 3
    @Option(help: "The number of keys for many keys.")
    var keys = 10_000_000

    private static let few = 10_000
    private static let some = 1_000_000
    /// Subjects that are charged durably one after the other, so often that no charge is limited.
    private static let durable = 4_000_000
    private static let writers = 256
    private static let rule = LimitRule.slidingWindow(count: 5, window: .seconds(900))
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    func run() async throws {
        for (count, name) in [(Self.few, "few"), (Self.some, "some")] {
            let table = try table(folder: nil)
            let keys = LimitsKeys(count: count, rule: Self.rule)
            fill(table, keys)
            report(table, keys, "\(name)-keys")
        }
        try await measureDurable()
        try await measureMany()
    }

    /// Sliding windows with one to five timestamps, as after a day's traffic.
    private func fill(_ table: LimitTable, _ keys: LimitsKeys) {
        for key in 0..<keys.count {
            for charge in 0...key % 5 {
                _ = table.apply(.consume, keys.request(key), at: Self.start + .seconds(charge))
            }
        }
    }

    private func report(_ table: LimitTable, _ keys: LimitsKeys, _ name: String) {
        let now = Self.start + .seconds(300)
        let rates = (0..<runs).map { run in
            keys.decisionsPerSecond(table, for: .seconds(seconds), at: now + .seconds(run * 10_000))
        }
        Figure(name: "limits-core-\(name)", value: .median(rates), unit: "decisions/s").report()
        let slowest = (0..<runs).map { _ in keys.slowest(table, at: now) }
        Figure(name: "limits-core-p99-\(name)", value: .median(slowest), unit: "ns").report()
    }

    private func measureDurable() async throws {
        let table = try table(folder: "\(folder)/durable")
        defer { table.close() }
        let keys = LimitsKeys(count: Self.durable, rule: Self.rule)
        let throughput = Throughput(workers: Self.writers, duration: .seconds(seconds))
        let next = Atomic<Int>(0)
        var rates: [Double] = []
        for _ in 0..<runs {
            rates.append(
                try await throughput.measure { _ in
                    let charge = next.add(1, ordering: .relaxed).newValue
                    let round = charge / Self.durable
                    let verdict = table.apply(
                        .consume, keys.request(charge % Self.durable),
                        at: Self.start + .seconds(round * 200))
                    guard !verdict.isLimited else { throw ExitCode.failure }
                    try await table.persisted()
                })
        }
        Figure(name: "limits-durable", value: .median(rates), unit: "charges/s").report()
    }

    private func measureMany() async throws {
        let before = Self.residentBytes()
        let many = LimitsKeys(count: keys, rule: Self.rule)
        let table = try table(folder: "\(folder)/many")
        fill(table, many)
        try await table.persisted()
        let resident = Double(Self.residentBytes() - before)
        Figure(name: "limits-bytes-a-key", value: Double(table.bytes) / Double(keys), unit: "B")
            .report()
        Figure(name: "limits-resident-a-key", value: resident / Double(keys), unit: "B").report()
        report(table, many, "many-keys")
        table.close()
        let restart = try ContinuousClock().measure {
            let again = try self.table(folder: "\(folder)/many")
            guard again.count == keys else { throw ExitCode.failure }
            again.close()
        }
        Figure(name: "limits-restart", value: restart / .seconds(1), unit: "s").report()
    }

    private func table(folder: String?) throws -> LimitTable {
        if let folder { mkdir(folder, 0o700) }
        return try LimitTable(
            statesMax: max(20_000_000, keys * 2), rule: Self.rule, folder: folder, at: Self.start,
            logger: .silent)
    }

    /// Resident memory of this process, in bytes.
    private static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }
}
