import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Says whether the program takes calls, and which of its parts fail (X-07, `HealthAnswer`).
struct HealthReporter: HealthService {
    private let readiness: Readiness
    private let parts: ProgramParts
    private let followed: Followed<HealthV1.CheckResponse>

    init(readiness: Readiness, parts: ProgramParts, time: any Time) {
        self.readiness = readiness
        self.parts = parts
        followed = Followed(time: time) { Self.changes(readiness, parts) }
    }

    func check(
        _ request: HealthV1.CheckRequest, _ context: CallContext
    ) throws -> HealthV1.CheckResponse {
        HealthAnswer(state: readiness.state, parts: parts.states).response
    }

    func watch(
        _ request: HealthV1.CheckRequest, _ items: OutgoingItems<HealthV1.CheckResponse>,
        _ context: CallContext
    ) async throws {
        try await followed.send(to: items)
    }

    /// The answer now and after each change of readiness or of a part.
    private static func changes(
        _ readiness: Readiness, _ parts: ProgramParts
    ) -> AsyncStream<HealthV1.CheckResponse> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let sender = HealthSender(readiness, parts, continuation)
            let task = Task { await sender.run() }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Sends the answer to one stream whenever readiness or a part changes.
private final class HealthSender: Sendable {
    private let readiness: Readiness
    private let parts: ProgramParts
    private let continuation: AsyncStream<HealthV1.CheckResponse>.Continuation
    private let states: AsyncStream<Readiness.State>
    private let looks: AsyncStream<Void>
    private let order = Mutex(())

    init(
        _ readiness: Readiness, _ parts: ProgramParts,
        _ continuation: AsyncStream<HealthV1.CheckResponse>.Continuation
    ) {
        self.readiness = readiness
        self.parts = parts
        self.continuation = continuation
        states = readiness.changes()
        looks = parts.changes()
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in self.states { self.send() } }
            group.addTask { for await _ in self.looks { self.send() } }
        }
    }

    /// Reads and sends in one step, so that the last item is the newest. Parts that work are left out:
    /// thousands of streams get the item again at each heartbeat.
    private func send() {
        order.withLock { _ in
            let failing = parts.states.filter { $0.trouble != nil }
            let answer = HealthAnswer(state: readiness.state, parts: failing)
            _ = continuation.yield(answer.response)
        }
    }
}
