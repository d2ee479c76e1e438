import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Asks a peer every two seconds whether it serves, so that health names a peer that is away also
/// when nothing calls it. Any answer but "not serving" counts as serving, and one failure does
/// not count: a peer that restarts is back within two seconds.
struct PeerWatch: Sendable {
    static let interval: Duration = .seconds(2)
    private static let timeout: Duration = .seconds(2)
    /// Failures in a row from which a peer is named.
    static let failuresMax = 2

    /// The part's name: the service's, without `postern.`.
    let name: String
    let peer: any HealthAPI
    let condition: PartCondition
    let time: any Time

    /// Asks until cancelled.
    func run() async throws {
        var failures = 0
        while true {
            let detail = await look()
            failures = detail == nil ? 0 : failures + 1
            if let detail {
                if failures >= Self.failuresMax { condition.fail(name, detail) }
            } else {
                condition.work(name)
            }
            try await time.sleep(for: Self.interval)
        }
    }

    /// Asks once.
    /// - Returns: why the peer counts as away; nil where it serves.
    func look() async -> String? {
        do {
            let context = CallContext(deadline: time.uptime() + Self.timeout)
            let answer = try await peer.check(HealthV1.CheckRequest(), context)
            return answer.status == .notServing ? "does not serve" : nil
        } catch let error as ServiceError {
            return Self.word(error.code)
        } catch {
            return nil  // a stop
        }
    }

    /// What an error says of the peer; nil where it has answered.
    static func word(_ code: ErrorCode) -> String? {
        switch code {
        case .unavailable: "cannot be reached"
        case .deadlineExceeded: "does not answer in time"
        case .unauthenticated: "refuses this program's key"
        default: nil
        }
    }
}

/// The peers of a program, one for each service that it calls.
final class PeerWatches: Sendable {
    private let watches = Mutex<[String: PeerWatch]>([:])

    /// Watches the service behind a channel. Of several channels to one service the first is used.
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
        if isNew { parts.add(name) { condition.trouble } }
    }

    /// Asks each of them, and has `parts` look, every two seconds until cancelled.
    func run(_ parts: ProgramParts, _ time: any Time) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for watch in watches.withLock({ $0.values.map(\.self) }) {
                group.addTask { try await watch.run() }
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
