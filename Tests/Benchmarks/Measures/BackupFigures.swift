import ArgumentParser
import FoundationEssentials
import RPC
import ServiceRuntime
import TestSupport

/// The time and size of a backup of running services, and the times of sign-ins and refreshes
/// beside it, compared with those of as long a time without one.
///
/// The stores hold what was imported before. The backup is made by the tool, in a process of its
/// own, and is verified at the end.
struct BackupFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "backup")

    /// Pause of a person between two calls: far below the capacity, so that the p99 is that of the
    /// calls and not of a queue.
    private static let pause = Duration.milliseconds(50)

    @OptionGroup var options: GatewayOptions
    @Option(help: "The tool `postern`.")
    var postern: String
    @Option(help: "The endpoints.json of the services.")
    var endpoints: String
    @Option(help: "The folder for the backup.")
    var folder: String
    @Option(help: "People who sign in, in rotation.")
    var people = 300
    @Option(help: "People who refresh.")
    var visitors = 10
    @Option(help: "Seconds without a backup, to compare with.")
    var seconds = 20

    func run() async throws {
        let client = try options.client()
        defer { client.close() }
        let tag = Person.newTag()
        let everybody = (0..<people + visitors).map {
            Person(number: $0, tag: tag, client: client)
        }
        for person in everybody { _ = try await person.signUp() }
        try await tool(["backup", "key", "\(folder)/key.txt"])
        let recipient = try recipient()

        let alone = try await measure(everybody) { try await Task.sleep(for: .seconds(seconds)) }
        let begun = ContinuousClock.now
        var took = Duration.zero
        let beside = try await measure(everybody) {
            try await tool([
                "backup", "--to", "\(folder)/backup.age", "--recipient", recipient,
                "--endpoints", endpoints,
            ])
            took = ContinuousClock.now - begun
        }
        report(alone, beside, took)
        let check = ContinuousClock.now
        try await tool([
            "backup", "verify", "\(folder)/backup.age", "--identity", "\(folder)/key.txt",
        ])
        Figure(
            name: "backup-verify", value: (ContinuousClock.now - check) / .seconds(1), unit: "s"
        ).report()
    }

    private func report(_ alone: Times, _ beside: Times, _ took: Duration) {
        let seconds = took / .seconds(1)
        let bytes =
            try? FileManager.default.attributesOfItem(
                atPath: "\(folder)/backup.age")[.size] as? Int
        // No size is reported as 0, which the table would show.
        let megabytes = Double(bytes ?? 0) / 1e6
        Figure(name: "backup", value: seconds, unit: "s").report()
        Figure(name: "backup-size", value: megabytes, unit: "MB").report()
        Figure(name: "backup-rate", value: megabytes / seconds, unit: "MB/s").report()
        for (name, alone, beside) in [
            ("sign-in", alone.signIns, beside.signIns),
            ("refresh", alone.refreshes, beside.refreshes),
        ] {
            let (first, second) = (alone.p99Milliseconds, beside.p99Milliseconds)
            Figure(name: "backup-\(name)-p99-alone", value: first, unit: "ms").report()
            Figure(name: "backup-\(name)-p99", value: second, unit: "ms").report()
            Figure(name: "backup-\(name)-p99-to-alone", value: second / first, unit: "×").report()
        }
    }

    /// Sign-ins and refreshes while `body` runs.
    private func measure(
        _ everybody: [Person], while body: () async throws -> Void
    ) async throws -> Times {
        let (times, over) = (Times(), Flag())
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for person in everybody.prefix(visitors) {
                var session = try await person.signIn()
                group.addTask {
                    while !over.isRaised {
                        try await times.refreshes.record {
                            session = try await person.refresh(session)
                        }
                        try await Task.sleep(for: Self.pause)
                    }
                }
            }
            let comers = everybody.dropFirst(visitors)
            group.addTask {
                while true {
                    for person in comers {
                        if over.isRaised { return }
                        try await times.signIns.record { _ = try await person.signIn() }
                        try await Task.sleep(for: Self.pause)
                    }
                }
            }
            try await body()
            over.raise()
            try await group.waitForAll()
            return times
        }
    }

    private struct Times: Sendable {
        let signIns = Latencies()
        let refreshes = Latencies()
    }

    private func recipient() throws -> String {
        let text = try String(contentsOfFile: "\(folder)/key.txt", encoding: .utf8)
        guard let start = text.firstRange(of: "age1") else {
            throw ValidationError("key.txt has no recipient")
        }
        return String(text[start.lowerBound...].prefix { $0.isLetter || $0.isNumber })
    }

    /// Runs the tool to its end. Its output goes to standard error, beside which the figures stay
    /// readable.
    private func tool(_ arguments: [String]) async throws {
        let child = try ChildProcess(
            postern, arguments, in: folder, environment: ProcessInfo.processInfo.environment,
            input: 0, output: 2, errors: 2)
        guard await child.end() == 0 else {
            throw ValidationError("postern \(arguments[0]) failed")
        }
    }
}
