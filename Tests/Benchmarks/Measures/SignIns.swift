import ArgumentParser
import Contracts
import RPC
import ServiceRuntime
import Synchronization

/// Sign-ins a second through a running gateway, each of another person: the speed of the hash pool
/// with all work around the hash included. Then the same of people with an authenticator app, whose
/// sign-ins are two calls.
struct SignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sign-ins")

    @OptionGroup var options: GatewayOptions
    @Option(help: "People; each signs up first, and signs in about three times in ten seconds.")
    var people = 320
    @Option(help: "Concurrent sign-ins.")
    var workers = 32
    @Option(help: "Seconds.")
    var seconds = 10

    /// Codes for each sign-in that is measured: the warm-up takes some too, and the rate varies.
    private static let spare = 1.6

    func run() async throws {
        guard workers > 0, people >= workers else {
            throw ValidationError("each worker needs a person")
        }
        let client = try options.client()
        let tag = Person.newTag()
        let circles = (0..<workers).map { worker in
            Circle(
                people: stride(from: worker, to: people, by: workers).map {
                    Person(number: $0, tag: tag, client: client)
                })
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for circle in circles { group.addTask { try await circle.signUp() } }
            try await group.waitForAll()
        }
        let rate = try await Throughput(workers: workers, duration: .seconds(seconds))
            .measure { try await circles[$0].signInNext() }
        Figure(name: "sign-ins", value: rate, unit: "sign-ins/s").report()
        let withApp = try await rateWithApp(client, after: rate)
        Figure(name: "sign-ins-with-app", value: withApp, unit: "sign-ins/s").report()
    }

    /// Sign-ins a second of people with an app. A code works once, so there are as many people as it
    /// takes.
    private func rateWithApp(_ client: RPCClient, after rate: Double) async throws -> Double {
        let codes = rate * Double(seconds) * Self.spare
        let each = Int(codes / Double(AppCodes.atOnce * workers)) + 1
        let tag = Person.newTag()
        let (people, workers) = (people, workers)
        let circles = try await withThrowingTaskGroup(of: AppCircle.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    let numbers = (0..<each).map { people + worker * each + $0 }
                    return try await AppCircle(
                        numbers.map { Person(number: $0, tag: tag, client: client) })
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return try await Throughput(workers: workers, duration: .seconds(seconds))
            .measure { try await circles[$0].signInNext() }
    }
}

/// The people with an app whom one worker signs in, in rotation.
private final class AppCircle: Sendable {
    private let members: [(person: Person, codes: AppCodes)]
    private let turn = Atomic(0)

    /// Signs them up, and sets their apps up.
    init(_ people: [Person]) async throws {
        var members: [(person: Person, codes: AppCodes)] = []
        for person in people {
            let session = try await person.signUp()
            members.append((person, try await person.setUpApp(in: session)))
        }
        self.members = members
    }

    func signInNext() async throws {
        for _ in members.indices {
            let number = turn.add(1, ordering: .relaxed).oldValue
            let (person, codes) = members[number % members.count]
            guard let code = codes.next() else { continue }
            _ = try await person.signIn(with: code)
            return
        }
        throw ValidationError("all codes were used: the rate is higher than that without an app")
    }
}

/// The people whom one worker signs in, in rotation. An account that signs in more than five times
/// displaces a session each time, and a notice to its owner.
private final class Circle: Sendable {
    private let people: [Person]
    private let turn = Atomic(0)

    init(people: [Person]) {
        self.people = people
    }

    func signUp() async throws {
        for person in people { _ = try await person.signUp() }
    }

    func signInNext() async throws {
        let number = turn.add(1, ordering: .relaxed).oldValue
        _ = try await people[number % people.count].signIn()
    }
}
