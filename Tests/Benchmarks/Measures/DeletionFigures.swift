import ArgumentParser
import Contracts
import Messages
import RPC

/// The time of a deletion from its request until no step is left, and the times of password sign-ins
/// beside many deletions, compared with those of sign-ins alone. Operators' deletions, at identity:
/// they take the steps of all, and no proof.
struct DeletionFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "deletion")

    /// Documents in one write.
    private static let writesMax = 20
    /// Between two looks at the deletion that is left.
    private static let pollPause = Duration.milliseconds(5)
    /// The same for many: each look reads a page of 200, which must not cost the sign-ins anything.
    private static let rushPollPause = Duration.milliseconds(250)

    @OptionGroup var app: GatewayOptions
    @Option(help: "Identity's address, HOST:PORT.")
    var identity: String
    @Option(help: "The operator's key, <application>.<key id>.key.")
    var toolKey: String
    @Option(help: "Documents of an account.")
    var documents = 100
    @Option(help: "Deletions one after the other; the median counts.")
    var runs = 20
    @Option(help: "Accounts that are deleted beside sign-ins.")
    var accounts = 20_000
    @Option(help: "People who sign in, in rotation.")
    var people = 300
    @Option(help: "Seconds of sign-ins alone.")
    var seconds = 20

    func run() async throws {
        let client = try app.client()
        defer { client.close() }
        let operators = try RPCClient.calling("postern.identity", at: identity, key: toolKey)
        defer { operators.close() }
        try await deleteOne(client, operators)
        try await deleteMany(client, operators)
    }

    private func deleteOne(_ client: RPCClient, _ operators: RPCClient) async throws {
        var times: [Duration] = []
        for number in 0..<runs {
            let guest = try await Self.guest(number, client)
            try await write(of: guest, client)
            let begun = ContinuousClock.now
            try await Self.delete(guest.account, operators)
            while try await Self.left(operators).contains(guest.account) {
                try await Task.sleep(for: Self.pollPause)
            }
            times.append(ContinuousClock.now - begun)
        }
        let median = times.sorted()[times.count / 2]
        Figure(name: "deletion", value: median / .milliseconds(1), unit: "ms").report()
    }

    private func deleteMany(_ client: RPCClient, _ operators: RPCClient) async throws {
        let tag = Person.newTag()
        let people = (0..<people).map { Person(number: $0, tag: tag, client: client) }
        for person in people { _ = try await person.signUp() }
        let guests = try await Self.each(accounts) { try await Self.guest($0, client).account }
        let alone = try await Person.signInsP99(of: people) {
            try await Task.sleep(for: .seconds(seconds))
        }
        var time = Duration.zero
        let beside = try await Person.signInsP99(of: people) {
            let begun = ContinuousClock.now
            _ = try await Self.each(guests.count) { number in
                try await Self.delete(guests[number], operators)
                return ""
            }
            while try await !Self.left(operators).isEmpty {
                try await Task.sleep(for: Self.rushPollPause)
            }
            time = ContinuousClock.now - begun
        }
        let rate = Double(guests.count) / (time / .seconds(1))
        Figure(name: "deletion-rush", value: rate, unit: "deletions/s").report()
        let name = "deletion-rush-sign-in-p99"
        Figure(name: "\(name)-alone", value: alone, unit: "ms").report()
        Figure(name: name, value: beside, unit: "ms").report()
        Figure(name: "\(name)-to-alone", value: beside / alone, unit: "×").report()
    }

    // MARK: Calls

    private static func guest(
        _ number: Int, _ client: RPCClient
    ) async throws -> (account: String, context: CallContext) {
        let context = client.context(ofPerson: number % 60_000)
        let guest = try await GuestsClient(client).signInAsGuest(
            .init(device: .init(deviceId: "d1", platform: "cli")), context)
        return (guest.account?.accountId ?? "", context.bearing(guest.session?.accessToken))
    }

    private func write(
        of guest: (account: String, context: CallContext), _ client: RPCClient
    ) async throws {
        let json = DocumentOptions.json(bytes: 1_024)
        for first in stride(from: 0, to: documents, by: Self.writesMax) {
            let writes = (first..<min(first + Self.writesMax, documents)).map { number in
                GatewayV1.DocumentWrite(
                    collection: DocumentOptions.collection, name: "n\(number)", json: json)
            }
            _ = try await DocumentsClient(client).writeDocuments(
                .init(writes: writes), guest.context)
        }
    }

    private static func delete(_ account: String, _ operators: RPCClient) async throws {
        _ = try await AdminClient(operators).deleteAccount(
            .init(accountId: account, actor: "benchmark"),
            operators.context(timeout: .seconds(30)))
    }

    /// The accounts on the first page of the deletions that have a step left.
    private static func left(_ operators: RPCClient) async throws -> Set<String> {
        let page = try await AdminClient(operators).listDeletions(
            .init(), operators.context(timeout: .seconds(30)))
        return Set(page.deletions.map(\.accountId))
    }

    /// Runs `act` so many times, 32 at once.
    private static func each(
        _ count: Int, _ act: @escaping @Sendable (Int) async throws -> String
    ) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            var results: [String] = []
            for number in 0..<count {
                if number >= 32, let result = try await group.next() { results.append(result) }
                group.addTask { try await act(number) }
            }
            return try await group.reduce(into: results) { $0.append($1) }
        }
    }
}
