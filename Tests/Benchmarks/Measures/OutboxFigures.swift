import ArgumentParser
import Glibc
import NotificationService
import SMTPSink
import ServiceRuntime
import Storage

/// The outbox without RPC (N-03): messages accepted durably a second and their 99th percentile,
/// messages delivered a second by a slow route with eight slots, and the cost of a million waiting
/// messages.
struct OutboxFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "outbox")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Seconds of each run.")
    var seconds = 3
    @Option(help: "Runs of each kind; the median counts.")
    var runs = 3
    @Option(help: "Waiting messages.")
    var waiting = 1_000_000

    private static let inFlight = 256
    /// Messages delivered in one run.
    private static let delivered = 20_000
    /// The time of the route for each message; eight slots could deliver 8,000 a second.
    private static let routeTime: Duration = .milliseconds(1)

    func run() async throws {
        try await measureAcceptance()
        try await measureDelivery()
        try await measureWaiting()
    }

    private func measureAcceptance() async throws {
        var (rates, slowest): ([Double], [Double]) = ([], [])
        for run in 0..<runs {
            let fixture = try OutboxFixture(folder: "\(folder)/accept-\(run)", way: .none)
            let latencies = Latencies()
            let throughput = Throughput(workers: Self.inFlight, duration: .seconds(seconds))
            rates.append(
                try await throughput.measure { _ in
                    try await latencies.record { try await fixture.accept() }
                })
            slowest.append(latencies.p99Milliseconds)
            fixture.store.close()
        }
        Figure(name: "outbox-accepted", value: .median(rates), unit: "messages/s").report()
        Figure(name: "outbox-accepted-p99", value: .median(slowest), unit: "ms").report()
    }

    private func measureDelivery() async throws {
        var (rates, mailRates): ([Double], [Double]) = ([], [])
        for run in 0..<runs {
            let route = CountingRoute(takes: Self.routeTime)
            rates.append(
                try await deliveries("deliver-\(run)", .route(route)) {
                    await route.reached(Self.delivered)
                })
            var script = SMTPSink.Script()
            script.storesMails = false
            let sink = try SMTPSink(script)
            mailRates.append(
                try await deliveries("mail-\(run)", .server(port: Int(sink.port))) {
                    await sink.reached(mails: Self.delivered)
                })
            sink.close()
        }
        Figure(name: "outbox-delivered", value: .median(rates), unit: "messages/s").report()
        Figure(name: "outbox-mailed", value: .median(mailRates), unit: "mails/s").report()
    }

    /// - Parameter reached: returns once all have been delivered.
    /// - Returns: deliveries a second of waiting messages.
    private func deliveries(
        _ name: String, _ way: OutboxFixture.Way, reached: () async -> Void
    ) async throws -> Double {
        let fixture = try OutboxFixture(folder: "\(folder)/\(name)", way: way)
        defer { fixture.store.close() }
        try await fixture.accept(Self.delivered)
        let taken = await ContinuousClock().measure {
            let delivery = Task { await fixture.delivery.run() }
            await reached()
            delivery.cancel()
            await delivery.value
        }
        return Double(Self.delivered) / (taken / .seconds(1))
    }

    /// A million messages wait for a route that is closed; measures the search for the next one.
    private func measureWaiting() async throws {
        let before = ResidentMemory.bytes
        let fixture = try OutboxFixture(folder: "\(folder)/waiting", way: .none)
        try await fixture.accept(waiting)
        let grown = Double(ResidentMemory.bytes - before) / Double(1 << 20)
        Figure(name: "outbox-waiting-memory", value: grown, unit: "MiB").report()
        var found: [Double] = []
        for _ in 0..<1_001 {
            let taken = try await ContinuousClock().measure {
                _ = try await fixture.store.read { try $0.nextDueMoment(.email) }
            }
            found.append(taken / .microseconds(1))
        }
        Figure(name: "outbox-waiting-found", value: .median(found), unit: "µs").report()
        fixture.store.close()
    }
}

/// Resident memory of this process.
enum ResidentMemory {
    static var bytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }
}
