import Synchronization
import TestSupport

/// People who sign up without a pause, and the log of those whose sign-up was acknowledged.
final class SignUpLog: Sendable {
    private static let width = 4

    private struct State {
        var newcomers = 0
        var acknowledged: [Person] = []
    }

    private let state = Mutex(State())

    /// Everybody whose sign-up was acknowledged until now.
    var acknowledged: [Person] { state.withLock { $0.acknowledged } }

    /// Signs people up, four at a time, while `body` runs. A sign-up that fails, as one does while a
    /// program is away, is not in the log.
    func during<Value: Sendable>(
        _ cluster: Cluster, _ body: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.width {
                group.addTask {
                    while !Task.isCancelled { try await self.signUp(cluster) }
                }
            }
            // Also after an error of `body`, or the group would wait for ever.
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Waits until so many more are in the log than now.
    func grow(by count: Int) async throws {
        let wanted = acknowledged.count + count
        guard try await eventually(within: .seconds(60), { acknowledged.count >= wanted }) else {
            throw ClusterError(message: "\(acknowledged.count) sign-ups, \(wanted) were expected")
        }
    }

    private func signUp(_ cluster: Cluster) async throws {
        let person = state.withLock { state in
            state.newcomers += 1
            return Person(state.newcomers)
        }
        let answer = try await cluster.signUp(person, key: "key of \(person.email)")
        if answer.exitCode == 0 { state.withLock { $0.acknowledged.append(person) } }
    }
}
