import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// Several loops of sequential calls that run until stopped. It records failures.
final class Load: Sendable {
    private let counts = Mutex((answered: 0, failures: [String](), isStopped: false))
    private let tasks: Mutex<[Task<Void, Never>]> = Mutex([])

    init(_ client: RPCClient, together: Int = 4) {
        for _ in 0..<together {
            let task = Task.detached { [self] in
                while !counts.withLock({ $0.isStopped }) {
                    let failure = await Self.failure(of: client)
                    counts.withLock { counts in
                        counts.answered += 1
                        if let failure { counts.failures.append(failure) }
                    }
                }
            }
            tasks.withLock { $0.append(task) }
        }
    }

    /// Waits until `count` calls have ended.
    func reached(_ count: Int) async throws {
        let isReached = try await eventually { counts.withLock { $0.answered } >= count }
        #expect(isReached)
    }

    private static func failure(of client: RPCClient) async -> String? {
        do {
            let answer: EchoService.Response = try await client.call(
                EchoService.async, EchoService.Request(accessToken: "hello"),
                client.context(timeout: .seconds(10)))
            return answer.valid ? nil : "another answer"
        } catch {
            return "\(error)"
        }
    }

    /// Stops the load.
    /// - Returns: the errors of the calls that failed.
    func stop() async -> [String] {
        counts.withLock { $0.isStopped = true }
        for task in tasks.withLock({ $0 }) { await task.value }
        return counts.withLock { $0.failures }
    }
}

extension TLSLoopback {
    /// A client whose key can be replaced.
    func client(
        _ caller: Caller, key file: String
    ) throws -> (client: RPCClient, key: Reloadable<ApplicationKey?>) {
        let key = Reloadable<ApplicationKey?>(try ApplicationKey(file: folder.file(file)))
        let client = try self.client(caller) { $0.key = key }
        return (client, key)
    }
}
