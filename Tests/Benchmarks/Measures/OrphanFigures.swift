import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// The time of identity's check of orphans after a start, and the times of refreshes beside it,
/// compared with those of as long a time without one.
///
/// The stores hold what was written before, and the services have just started, so the check runs.
struct OrphanFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "orphans")

    /// Pause of a person between two refreshes, as beside a backup.
    private static let pause = Duration.milliseconds(50)
    /// Between two questions whether the check has ended.
    private static let poll = Duration.milliseconds(250)
    /// A service that does not answer is asked again after an hour only.
    private static let checkMax = Duration.seconds(900)

    @OptionGroup var options: GatewayOptions
    @Option(help: "Identity's address, HOST:PORT.")
    var identity: String
    @Option(help: "The tool's key, <application>.<key id>.key.")
    var toolKey: String
    @Option(help: "When the services started, in milliseconds since 1970.")
    var startedMs: Int64
    @Option(help: "People who refresh.")
    var visitors = 10
    @Option(help: "Seconds without a check, to compare with.")
    var seconds = 20

    func run() async throws {
        let client = try options.client()
        defer { client.close() }
        let identity = try RPCClient.calling("postern.identity", at: identity, key: toolKey)
        defer { identity.close() }
        let tag = Person.newTag()
        let people = (0..<visitors).map { Person(number: $0, tag: tag, client: client) }
        for person in people { _ = try await person.signUp() }
        // Then the refreshes beside it are none.
        guard try await !isChecked(identity) else {
            throw ValidationError("the check has ended too early: more accounts")
        }
        var endedMs: Int64 = 0
        let beside = try await measure(people) {
            let latest = ContinuousClock.now + Self.checkMax
            while try await !isChecked(identity) {
                guard ContinuousClock.now < latest else {
                    throw ValidationError("the check does not end: see identity's log")
                }
                try await Task.sleep(for: Self.poll)
            }
            endedMs = SystemTime().now().milliseconds
        }
        let alone = try await measure(people) { try await Task.sleep(for: .seconds(seconds)) }
        let took = Double(endedMs - startedMs) / 1_000
        Figure(name: "orphan-check", value: took, unit: "s").report()
        let (first, second) = (alone.p99Milliseconds, beside.p99Milliseconds)
        Figure(name: "orphan-refresh-p99-alone", value: first, unit: "ms").report()
        Figure(name: "orphan-refresh-p99", value: second, unit: "ms").report()
        Figure(name: "orphan-refresh-p99-to-alone", value: second / first, unit: "×").report()
    }

    /// Whether the checks of all kinds have ended. The time in the response is that of the one that
    /// ended first.
    private func isChecked(_ identity: RPCClient) async throws -> Bool {
        try await AdminClient(identity).listOrphans(
            .init(), identity.context(timeout: .seconds(10))
        ).checkedAtMs > 0
    }

    /// Refreshes while `body` runs.
    private func measure(
        _ people: [Person], while body: () async throws -> Void
    ) async throws -> Latencies {
        let (refreshes, over) = (Latencies(), Flag())
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for person in people {
                var session = try await person.signIn()
                group.addTask {
                    while !over.isRaised {
                        try await refreshes.record { session = try await person.refresh(session) }
                        try await Task.sleep(for: Self.pause)
                    }
                }
            }
            try await body()
            over.raise()
            try await group.waitForAll()
            return refreshes
        }
    }
}
