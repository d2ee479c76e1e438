import ArgumentParser
import FoundationEssentials
import Glibc
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// The time of refreshes during five hundred concurrent sign-ins, which a separate process makes.
///
/// All of them have accounts. A quarter get into the queue of the password hashes; the others are
/// refused with `retry_after_ms`. The visitors refresh repeatedly: alone for a second, and then
/// until the last sign-in has its response.
struct SignInRush: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sign-in-rush")

    @OptionGroup var options: GatewayOptions
    @Option(help: "People who sign in concurrently.")
    var comers = 500
    @Option(help: "People who refresh.")
    var visitors = 10
    @Option(help: "Rounds; the median counts.")
    var runs = 5
    @Option(help: .hidden)
    var rushTag = ""

    func run() async throws {
        let client = try options.client()
        defer { client.close() }
        guard rushTag.isEmpty else { return try await rush(client) }
        let tag = Person.newTag()
        let people = people(tag, client)
        try await signUp(people)
        var (alone, beside): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            alone.append(
                try await refreshes(of: people.prefix(visitors)) {
                    try await Task.sleep(for: .seconds(1))
                })
            beside.append(
                try await refreshes(of: people.prefix(visitors)) { try await comersCome(tag) })
        }
        let name = "sign-in-rush-refresh-p99"
        Figure(name: "\(name)-alone", value: .median(alone), unit: "ms").report()
        Figure(name: name, value: .median(beside), unit: "ms").report()
        let ratios = zip(beside, alone).map { $0 / $1 }
        Figure(name: "\(name)-to-alone", value: .median(ratios), unit: "×").report()
    }

    /// The visitors, followed by the people who sign in.
    private func people(_ tag: String, _ client: RPCClient) -> [Person] {
        (0..<visitors + comers).map { Person(number: $0, tag: tag, client: client) }
    }

    private func signUp(_ people: [Person]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, person) in people.enumerated() {
                // As many concurrently as the queue of the password hashes accepts.
                if number >= 32 { try await group.next() }
                group.addTask { _ = try await person.signUp() }
            }
            try await group.waitForAll()
        }
    }

    /// Each person signs in again, and refreshes repeatedly while `body` runs.
    /// - Returns: the p99 of the refreshes, in milliseconds.
    private func refreshes(
        of people: ArraySlice<Person>, while body: () async throws -> Void
    ) async throws -> Double {
        let latencies = Latencies()
        let over = Flag()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for person in people {
                var session = try await person.signIn()
                group.addTask {
                    while !over.isRaised {
                        try await latencies.record { session = try await person.refresh(session) }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                }
            }
            try await body()
            over.raise()
            try await group.waitForAll()
            return latencies.p99Milliseconds
        }
    }

    /// Starts the process that signs people in, and waits until each has a response.
    private func comersCome(_ tag: String) async throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let child = try ChildProcess(
            program,
            [
                "sign-in-rush", "--gateway", options.gateway, "--key", options.key,
                "--comers", "\(comers)", "--visitors", "\(visitors)", "--rush-tag", tag,
            ], in: "/", environment: ProcessInfo.processInfo.environment, input: 0, output: 1,
            errors: 2)
        guard await child.end() == 0 else { throw ValidationError("a sign-in failed") }
    }

    /// The sign-ins of that process.
    private func rush(_ client: RPCClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in people(rushTag, client).dropFirst(visitors) {
                group.addTask {
                    do {
                        _ = try await person.signIn()
                    } catch let error as ServiceError where error.code == .resourceExhausted {}
                }
            }
            try await group.waitForAll()
        }
    }
}
