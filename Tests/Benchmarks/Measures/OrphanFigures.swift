import ArgumentParser
import Contracts
import Messages
import RPC
import TestSupport

/// The time of identity's check of orphans after a start, and the times of refreshes beside it,
/// compared with those of as long a time without one.
///
/// The stores hold what was imported before, and the services have just started, so the check runs.
struct OrphanFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "orphans")

    /// Pause of a person between two refreshes, as beside a backup.
    private static let pause = Duration.milliseconds(50)
    /// Between two questions whether the check has ended.
    private static let poll = Duration.milliseconds(250)

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
        // If it has ended by now, the refreshes beside it are none, and there is no figure of them.
        let isOver = try await checkedAt(identity) > 0
        let beside = try await measure(people) {
            while try await checkedAt(identity) == 0 { try await Task.sleep(for: Self.poll) }
        }
        let alone = try await measure(people) { try await Task.sleep(for: .seconds(seconds)) }
        let took = Double(try await checkedAt(identity) - startedMs) / 1_000
        Figure(name: "orphan-check", value: took, unit: "s").report()
        guard !isOver else { throw ValidationError("the check has ended too early: more accounts") }
        let (first, second) = (alone.p99Milliseconds, beside.p99Milliseconds)
        Figure(name: "orphan-refresh-p99-alone", value: first, unit: "ms").report()
        Figure(name: "orphan-refresh-p99", value: second, unit: "ms").report()
        Figure(name: "orphan-refresh-p99-to-alone", value: second / first, unit: "×").report()
    }

    /// When the check of all services has ended; 0 while it has not.
    private func checkedAt(_ identity: RPCClient) async throws -> Int64 {
        try await AccountAdminClient(identity).listOrphans(
            .init(), identity.context(timeout: .seconds(10))
        ).checkedAtMs
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
