import Contracts
import Foundation
import Glibc
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Within a second in `docker/soak.sh`, which measures. A busy machine takes longer.
    private static let timeMax: Duration = SoakRounds.isLong ? .seconds(1) : .seconds(5)

    @Test("R-03: right passwords whose answers were lost do not keep the owner out")
    func rightGuesses() async throws {
        try await LostGuesses.with { lost in
            for round in 1...SoakRounds.count {
                for loss in LostGuesses.Loss.allCases {
                    for count in loss.counts {
                        let ada = try await lost.newPerson()
                        try await lost.lose(count, Person.password, of: ada, by: loss)
                        let took = try await lost.timeUntilIn(ada)
                        #expect(took < Self.timeMax, "round \(round), \(loss), \(count): \(took)")
                    }
                }
            }
        }
    }

    @Test("R-03: wrong passwords whose answers were lost count exactly if they were compared")
    func wrongGuesses() async throws {
        try await LostGuesses.with { lost in
            for round in 1...SoakRounds.count {
                for loss in LostGuesses.Loss.allCases {
                    let ada = try await lost.newPerson()
                    try await lost.lose(5, LostGuesses.wrong, of: ada, by: loss)
                    let compared = try await lost.compared(ada)
                    let answered = try await lost.guessUntilRefused(ada)
                    let all = try await lost.compared(ada)
                    #expect(all == 5 && answered == 5 - compared, "round \(round), \(loss)")
                }
            }
        }
    }
}

/// Guesses from a known device whose answers are lost, with the built programs.
private final class LostGuesses {
    static let wrong = "Wrong7Horse"

    /// Why the answers are lost.
    enum Loss: CaseIterable {
        /// Identity is stopped: its connections stay open.
        case stalled
        /// Identity is killed while it works.
        case killed
        /// The network between gateway and identity passes nothing.
        case cutOff
        /// The gateway is killed 30 ms after its call, and starts again.
        case gatewayKilled

        /// How many guesses are made.
        var counts: [Int] {
            if self == .gatewayKilled { return [5] }
            return SoakRounds.isLong ? [5, 20, 50] : [self == .stalled ? 20 : 5]
        }
    }

    private let cluster: Cluster
    private let gateway: GatewayProgram
    private let proxy: FaultProxy
    private let caller: Caller
    /// Shows whether identity answers.
    private let bob = Person(1)
    private var people = 1

    static func with(_ body: (LostGuesses) async throws -> Void) async throws {
        try await Cluster.with { cluster in
            let lost = try await LostGuesses(cluster)
            do {
                try await body(lost)
            } catch {
                Issue.record(error)
            }
            lost.caller.client.close()
            await lost.gateway.stop()
            lost.proxy.stop()
        }
    }

    private init(_ cluster: Cluster) async throws {
        self.cluster = cluster
        let identity = try cluster.addresses()["identity"] ?? ""
        proxy = try FaultProxy(to: Int(identity.split(separator: ":").last ?? "") ?? 0)
        gateway = GatewayProgram("losing", of: cluster, identity: "127.0.0.1:\(proxy.port)")
        try await gateway.start()
        caller = Caller(
            client: try Cluster.client(
                of: "gateway",
                at: [ServiceAddress("127.0.0.1:\(gateway.port)")].compactMap(\.self),
                key: cluster.key(of: "app")))
        _ = try await cluster.signUp(bob)
    }

    /// A person whose device is known.
    func newPerson() async throws -> Person {
        people += 1
        let person = Person(people)
        let signedUp = try await cluster.signUp(person)
        guard signedUp.exitCode == 0 else { throw ClusterError(message: signedUp.json) }
        return person
    }

    /// Makes guesses that get no answer. Returns when identity answers again.
    func lose(_ count: Int, _ password: String, of person: Person, by loss: Loss) async throws {
        let caller = caller
        switch loss {
        case .stalled:
            let identity = cluster.processes["postern-identity"] ?? 0
            kill(identity, SIGSTOP)
            defer { kill(identity, SIGCONT) }
            await caller.guess(count, password, of: person)
        case .killed:
            async let guessed: Void = caller.guessAtOnce(count, password, of: person)
            try await Task.sleep(for: .milliseconds(30))
            try cluster.crash("identity")
            await guessed
        case .cutOff:
            proxy.set(ConnectionFaults(upwards: .stall(after: 0), downwards: .stall(after: 0)))
            defer { proxy.clearFaults() }
            await caller.guess(count, password, of: person)
        case .gatewayKilled:
            for _ in 0..<count {
                async let guessed: Void = caller.guess(1, password, of: person)
                try await Task.sleep(for: .milliseconds(30))
                await gateway.crash()
                await guessed
                try await gateway.start()
            }
        }
        let isBack = try await eventually { await caller.client.signIn(bob) == nil }
        #expect(isBack, "identity does not answer")
    }

    /// The time until a right password from the known device succeeds.
    func timeUntilIn(_ person: Person) async throws -> Duration {
        try await ContinuousClock().measure {
            var error: ServiceError?
            let isIn = try await eventually(within: .seconds(10)) {
                error = await caller.client.signIn(person)
                return error == nil
            }
            #expect(isIn, "\(String(describing: error))")
        }
    }

    /// The number of wrong passwords of an account that were compared.
    func compared(_ person: Person) async throws -> Int {
        let trail = try await cluster.tool([
            "audit", "list", "--account", person.email, "--kind", "sign-in.failed", "-o", "json",
        ])
        return trail.output.components(separatedBy: "sign-in.failed").count - 1
    }

    /// Wrong passwords until the wait is that of the limit.
    /// - Returns: how many were answered as wrong.
    func guessUntilRefused(_ person: Person) async throws -> Int {
        var answered = 0
        let isRefused = try await eventually(within: .seconds(10)) {
            let error = await caller.client.signIn(person, Self.wrong)
            if error?.code == .invalidCredential { answered += 1 }
            return error?.code == .tooManyRequests && error?.retryAfter ?? .zero > .seconds(60)
        }
        #expect(isRefused)
        return answered
    }

    /// A backend that signs people in.
    private struct Caller: Sendable {
        /// Shorter than what shows a caller's breaker that a server has failed.
        private static let deadline = Duration.milliseconds(700)

        let client: RPCClient

        func guess(_ count: Int, _ password: String, of person: Person) async {
            for _ in 0..<count { _ = await client.signIn(person, password, within: Self.deadline) }
        }

        func guessAtOnce(_ count: Int, _ password: String, of person: Person) async {
            await withTaskGroup { guesses in
                for _ in 0..<count {
                    guesses.addTask { await guess(1, password, of: person) }
                }
            }
        }
    }
}
