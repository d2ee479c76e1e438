import ArgumentParser
import Contracts
import ServiceRuntime
import Synchronization

/// Sign-ins a second through a running gateway, each of another person: the speed of the hash pool
/// with all work around the hash included.
struct SignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sign-ins")

    @OptionGroup var options: GatewayOptions
    @Option(help: "People; each signs up first, and signs in about three times in ten seconds.")
    var people = 320
    @Option(help: "Concurrent sign-ins.")
    var workers = 32
    @Option(help: "Seconds.")
    var seconds = 10

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
