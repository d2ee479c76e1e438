import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Checks every two seconds whether a peer serves, so that health reports an unreachable peer even
/// when nothing calls it. Any response except "not serving" counts as serving. A single
/// failure is ignored: a peer that restarts is back within two seconds.
struct PeerWatch: Sendable {
    static let interval: Duration = .seconds(2)
    private static let timeout: Duration = .seconds(2)
    /// The number of consecutive failures after which a peer is reported.
    static let failuresMax = 2

    /// The part's name: the service's name without `postern.`.
    let name: String
    let peer: any HealthAPI
    let condition: PartCondition
    let time: any Time

    /// Checks until cancelled.
    /// - Parameter serves: called with the part's name after each check that the peer has passed.
    /// - Throws: `CancellationError` when the task is cancelled.
    func run(serves: @Sendable (String) -> Void = { _ in }) async throws {
        var failures = 0
        while true {
            let detail = await look()
            failures = detail == nil ? 0 : failures + 1
            if let detail {
                if failures >= Self.failuresMax { condition.fail(name, detail) }
            } else {
                condition.work(name)
                serves(name)
            }
            try await time.sleep(for: Self.interval)
        }
    }

    /// Checks once.
    /// - Returns: Why the peer counts as failing. Nil where it serves.
    func look() async -> String? {
        do {
            let context = CallContext(deadline: time.uptime() + Self.timeout)
            let answer = try await peer.check(HealthV1.CheckRequest(), context)
            return answer.status == .notServing ? "does not serve" : nil
        } catch let error as ServiceError {
            return Self.word(error.code)
        } catch {
            return nil  // cancelled
        }
    }

    /// The meaning of an error for the peer's health. Nil where the peer has responded.
    static func word(_ code: ErrorCode) -> String? {
        switch code {
        case .unavailable: "cannot be reached"
        case .deadlineExceeded: "does not answer in time"
        case .unauthenticated: "refuses this program's key"
        default: nil
        }
    }
}

/// The watched peers of a program, one for each service that it calls.
final class PeerWatches: Sendable {
    private let watches = Mutex<[String: PeerWatch]>([:])

    /// Watches the service behind a channel. Of several channels to one service, the first is used.
    func add(_ service: String, _ channel: any CallChannel, _ parts: ProgramParts, _ time: any Time)
    {
        let name = RPCClient.partName(of: service)
        let condition = PartCondition(time: time)
        let isNew = watches.withLock { watches in
            guard watches[name] == nil else { return false }
            watches[name] = PeerWatch(
                name: name, peer: HealthClient(channel), condition: condition, time: time)
            return true
        }
        if isNew { parts.add(name) { condition.failure } }
    }

    /// Checks every peer, and calls `parts.look()`, every two seconds until cancelled.
    /// - Parameter serves: called with a peer's name after each check that it has passed.
    /// - Throws: `CancellationError` when the task is cancelled.
    func run(
        _ parts: ProgramParts, _ time: any Time, serves: @escaping @Sendable (String) -> Void
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for watch in watches.withLock({ $0.values.map(\.self) }) {
                group.addTask { try await watch.run(serves: serves) }
            }
            group.addTask {
                while true {
                    parts.look()
                    try await time.sleep(for: PeerWatch.interval)
                }
            }
        }
    }
}
