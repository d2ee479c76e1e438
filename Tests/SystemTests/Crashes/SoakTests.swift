import Foundation
import Synchronization
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Sign-ups without a pause while one program after the other is killed.
    ///
    /// Three rounds, or as many as `POSTERN_SOAK_ROUNDS` says. The seed is printed with a failure;
    /// `POSTERN_SOAK_SEED` repeats its victims and times, but not the machine's own timing.
    @Test("killed at random under load: an acknowledged sign-up is stored, others can be retried")
    func soak() async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["POSTERN_SOAK_ROUNDS"].flatMap { Int($0) } ?? 3
        let seed = environment["POSTERN_SOAK_SEED"].flatMap { UInt64($0) } ?? 7
        try await Cluster.with { cluster in
            let load = SignUpLoad(cluster)
            for round in 1...rounds {
                let randomness = SeededRandomness(seed: seed + UInt64(round))
                let people = try await load.run(killing: randomness)
                #expect(!people.isEmpty, "no sign-up succeeded in round \(round), seed \(seed)")
                for person in people {
                    let answer = try await cluster.signIn(person)
                    #expect(
                        answer.exitCode == 0,
                        "\(person.email), round \(round), seed \(seed): \(answer.json)")
                }
                if let person = people.last { try await checkMails(person, cluster) }
            }
            #expect(cluster.processes.count == 6)
            let trails = try await cluster.tool(["audit", "verify"])
            #expect(trails.exitCode == 0, "A-02: \(trails.output)\(trails.errors)")
        }
    }

    /// The verification mail arrives once: a repeat after a crash replaces it in the inbox.
    private func checkMails(_ person: Person, _ cluster: Cluster) async throws {
        _ = try await cluster.mailedToken(to: person.email)
        let mails = try await cluster.inbox(to: person.email)
        #expect(mails.split(separator: "To: \(person.email)").count == 2, "\(mails)")
    }
}

/// Concurrent sign-ups, four at a time.
private struct SignUpLoad: Sendable {
    private static let width = 4
    private static let peopleEach = 6
    private static let attemptsMax = 40

    private let cluster: Cluster
    private let newcomers = Counter()
    private let attempts = Counter()

    init(_ cluster: Cluster) {
        self.cluster = cluster
    }

    /// Signs people up while one program is killed.
    /// - Returns: the people whose sign-up was acknowledged.
    func run(killing randomness: SeededRandomness) async throws -> [Person] {
        let moment = Duration.milliseconds(Int(randomness.next() % 600))
        let victim = BuiltPrograms.services[Int(randomness.next() % 5)]
        return try await withThrowingTaskGroup(of: [Person].self) { group in
            for _ in 0..<Self.width { group.addTask { try await signUpSome() } }
            try await Task.sleep(for: moment)
            try cluster.crash(victim)
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func signUpSome() async throws -> [Person] {
        var people: [Person] = []
        for _ in 0..<Self.peopleEach {
            let person = Person(newcomers.take())
            try await signUp(person)
            people.append(person)
        }
        return people
    }

    /// Retries with one idempotency key until the sign-up is acknowledged (G-25).
    private func signUp(_ person: Person) async throws {
        var last = ""
        for _ in 0..<Self.attemptsMax {
            // Each attempt has its own client address: a crash may leave a charge behind, and three
            // are allowed.
            let place = Person(attempts.take()).address
            let answer = try await cluster.auth(
                "SignUpWithPassword", person.credentials(), from: place,
                key: "key of \(person.email)")
            if answer.exitCode == 0 { return }
            last = answer.json + answer.errors
            guard let refusal: ErrorAnswer = try? answer.read(), refusal.isPassing else { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ClusterError(message: "\(person.email) cannot sign up: \(last)")
    }
}

extension ErrorAnswer {
    /// The errors that a caller gets while a program is unavailable.
    fileprivate var isPassing: Bool {
        retryable == true || code == "rpc/internal"
    }
}

/// A counter: each number is returned once.
private final class Counter: Sendable {
    private let number = Mutex(0)

    func take() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
