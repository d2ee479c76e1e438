import ArgumentParser
import Glibc
import RateLimitService
import ServiceRuntime

/// What the limiter's table does by itself: decisions a second of one core, memory for each of many
/// keys, how long the slowest decisions take with few and with many keys, durable charges a second,
/// and how long a restart with many keys takes.
struct LimitsCore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "limits-core")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind; the median counts.")
    var runs = 3
    @Option(help: "How many keys many are.")
    var keys = 10_000_000

    private static let few = 10_000
    private static let rule = LimitRule.ring(count: 5, window: .seconds(900))
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    func run() async throws {
        try measureFew()
        try await measureDurable()
        try await measureMany()
    }

    private func measureFew() throws {
        let table = try table(folder: nil)
        let keys = LimitsKeys(count: Self.few, rule: Self.rule)
        _ = keys.decisionsPerSecond(table, for: .seconds(1), at: Self.start)
        let rates = (0..<runs).map { run in
            keys.decisionsPerSecond(
                table, for: .seconds(seconds), at: Self.start + .seconds(10 + 300 * run))
        }
        Figure(name: "limits-core", value: .median(rates), unit: "decisions/s").report()
        let slowest = (0..<runs).map { _ in keys.slowest(table, at: Self.start) }
        Figure(name: "limits-core-p99-few-keys", value: .median(slowest), unit: "ns").report()
    }

    private func measureDurable() async throws {
        let table = try table(folder: "\(folder)/durable")
        defer { table.close() }
        let keys = LimitsKeys(count: Self.few, rule: Self.rule)
        let throughput = Throughput(workers: 256, duration: .seconds(seconds))
        var rates: [Double] = []
        for run in 0..<runs {
            let now = Self.start + .seconds(run * 10_000)
            rates.append(
                try await throughput.measure { worker in
                    let batch = keys.batch(worker)
                    _ = table.decide(.consume, batch, at: now)
                    // Takes back, so that each round has something new to write.
                    _ = table.decide(.refund(at: now), batch, at: now)
                    try await table.persisted(batch)
                })
        }
        Figure(name: "limits-durable", value: .median(rates), unit: "charges/s").report()
    }

    /// Rings of one to five moments, as a day's traffic leaves them.
    private func measureMany() async throws {
        let before = Self.residentBytes()
        let many = LimitsKeys(count: 0, rule: Self.rule)
        let table = try table(folder: "\(folder)/many")
        let clock = ContinuousClock()
        for key in 0..<keys {
            for charge in 0...key % 5 {
                _ = table.decide(.consume, many.request(key), at: Self.start + .seconds(charge))
            }
            if key % 1_000_000 == 999_999 { try await table.persisted([]) }
        }
        try await table.persisted([])
        let resident = Double(Self.residentBytes() - before)
        Figure(name: "limits-bytes-a-key", value: Double(table.bytes) / Double(keys), unit: "B")
            .report()
        Figure(name: "limits-resident-a-key", value: resident / Double(keys), unit: "B").report()
        let slowest = (0..<runs).map { _ in many.slowest(table, among: keys, at: Self.start) }
        Figure(name: "limits-core-p99-many-keys", value: .median(slowest), unit: "ns").report()
        table.close()
        let restart = try clock.measure {
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

    /// Memory of this process that is in use, in bytes.
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
