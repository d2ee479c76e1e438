import ArgumentParser
import FoundationEssentials
import RPC
import ServiceRuntime
import TestSupport

/// The times of password sign-ins beside many writes of documents, compared with those of sign-ins
/// alone. A process of its own writes the documents, at identity: each write through the gateway
/// would take as much of the two cores again, and what is measured is their effect on identity's
/// commits.
struct DocumentRush: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "document-rush")

    @OptionGroup var options: DocumentOptions
    @Option(help: "A folder for the tokens of those who write.")
    var folder: String
    @Option(help: "People who sign in, in rotation.")
    var people = 300
    @Option(help: "Guests who write.")
    var guests = 1_000
    @Option(help: "Writes a second.")
    var rate = 5_000
    @Option(help: "Seconds of sign-ins alone, and of those beside the writes.")
    var seconds = 20
    @Option(help: .hidden)
    var tokens = ""

    func run() async throws {
        guard tokens.isEmpty else { return try await write() }
        let client = try options.app.client()
        defer { client.close() }
        let tag = Person.newTag()
        let people = (0..<people).map { Person(number: $0, tag: tag, client: client) }
        for person in people { _ = try await person.signUp() }
        let file = "\(folder)/tokens"
        let writers = try await DocumentWriters(guests, client)
        try Data(writers.tokens.joined(separator: "\n").utf8).write(to: URL(filePath: file))
        let alone = try await Person.signInsP99(of: people) { try await Task.sleep(for: .seconds(seconds)) }
        let beside = try await Person.signInsP99(of: people) { try await otherWrites(file) }
        let name = "document-rush-sign-in-p99"
        Figure(name: "\(name)-alone", value: alone, unit: "ms").report()
        Figure(name: name, value: beside, unit: "ms").report()
        Figure(name: "\(name)-to-alone", value: beside / alone, unit: "×").report()
    }

    /// Starts the process that writes, and waits for its end.
    private func otherWrites(_ file: String) async throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let child = try ChildProcess(
            program,
            [
                "document-rush", "--gateway", options.app.gateway, "--key", options.app.key,
                "--identity", options.identity, "--identity-key", options.identityKey, "--folder",
                folder, "--rate", "\(rate)", "--seconds", "\(seconds)", "--tokens", file,
            ], in: "/", environment: ProcessInfo.processInfo.environment, input: 0, output: 1,
            errors: 2)
        guard await child.end() == 0 else { throw ValidationError("a document was not written") }
    }

    /// Writes on a schedule, with at most 256 in flight: fewer a second than requested, if those do
    /// not suffice.
    private func write() async throws {
        let workers = 256
        let identity = try options.identityClient()
        defer { identity.close() }
        let text = try String(contentsOfFile: tokens, encoding: .utf8)
        let writers = DocumentWriters(tokens: text.split(separator: "\n").map(String.init))
        let begun = ContinuousClock.now
        let end = begun + .seconds(seconds)
        let pause = Duration.seconds(1) / rate
        let written = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var (due, count) = (begun + pause * worker, 0)
                    while due < end, ContinuousClock.now < end {
                        try await Task.sleep(until: due, clock: .continuous)
                        try await writers.writeNext(at: identity)
                        (due, count) = (due + pause * workers, count + 1)
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        Figure(
            name: "document-rush-writes", value: Double(written) / Double(seconds),
            unit: "writes/s"
        ).report()
    }
}
