import ArgumentParser
import FoundationEssentials
import Glibc
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// How long refreshes take while five hundred sign in at once, who are a process of their own.
///
/// Those who come all have accounts; a quarter are let in to the hashes, the others are told when to come
/// back. The visitors refresh again and again, alone for a second and then until the last comer has its
/// answer.
struct SignInRush: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sign-in-rush")

    @OptionGroup var options: GatewayOptions
    @Option(help: "People who come at once.")
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

    /// The visitors, and then those who come.
    private func people(_ tag: String, _ client: RPCClient) -> [Person] {
        (0..<visitors + comers).map { Person(number: $0, tag: tag, client: client) }
    }

    private func signUp(_ people: [Person]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, person) in people.enumerated() {
                // As many at once as the hashes take in.
                if number >= 32 { try await group.next() }
                group.addTask { _ = try await person.signUp() }
            }
            try await group.waitForAll()
        }
    }

    /// Each signs in anew, and refreshes again and again while `body` runs.
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
                        try await latencies.note { session = try await person.refresh(session) }
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

    /// Starts the process of those who come, and returns when each has an answer.
    private func comersCome(_ tag: String) async throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let child = try ChildProcess(
            program,
            [
                "sign-in-rush", "--gateway", options.gateway, "--key", options.key,
                "--comers", "\(comers)", "--visitors", "\(visitors)", "--rush-tag", tag,
            ], in: "/", environment: ProcessInfo.processInfo.environment, input: 0, output: 1,
            errors: 2)
        guard await child.end() == 0 else { throw ValidationError("those who come have failed") }
    }

    /// What the process of those who come does.
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
