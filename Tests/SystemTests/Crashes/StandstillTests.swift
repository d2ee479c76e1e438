import Contracts
import Glibc
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Longer than the gateway waits for the rate limiter, shorter than what counts as a failure.
    private static let standstill = Duration.milliseconds(280)

    @Test("X-07: while a program stands still for a moment, no sign-in ends as cancelled")
    func standstills() async throws {
        try await Cluster.with { cluster in
            let people = (1...6).map { Person($0) }
            for person in people { _ = try await cluster.signUp(person) }
            let client = try cluster.client(of: "gateway", as: "app")
            defer { client.close() }
            for round in 1...SoakRounds.count {
                for name in ["postern-rate-limit", "postern-identity", "postern-session"] {
                    let process = try #require(cluster.processes[name])
                    let errors = try await withThrowingTaskGroup(of: String?.self) { signIns in
                        for person in people {
                            signIns.addTask { await Self.signIn(person, client) }
                        }
                        try await Task.sleep(for: .milliseconds(5 * (round % 20)))
                        kill(process, SIGSTOP)
                        defer { kill(process, SIGCONT) }
                        try await Task.sleep(for: Self.standstill)
                        kill(process, SIGCONT)
                        var errors: [String] = []
                        for try await error in signIns { errors += error.map { [$0] } ?? [] }
                        return errors
                    }
                    let cancelled = errors.filter { $0.hasPrefix("rpc/cancelled") }
                    #expect(cancelled == [], "\(name) stood still")
                }
            }
        }
    }

    /// - Returns: the code of the error and the part that failed; nil on success.
    private static func signIn(_ person: Person, _ client: RPCClient) async -> String? {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = person.address
        do {
            _ = try await AuthClient(client).signInWithPassword(
                .init(
                    email: person.email, password: .init(text: Person.password),
                    device: person.gatewayDevice),
                client.context(timeout: .seconds(5), metadata: metadata))
            return nil
        } catch {
            guard let error = error as? ServiceError else { return "\(error)" }
            return "\(error.code.rawValue) \(error.unavailablePart) \(error.detail)"
        }
    }
}
