import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Implements the health service: whether the program takes calls, and which of its parts fail
/// (X-07, `HealthAnswer`).
///
/// It has only two references: thousands of waiting streams each keep a copy, and a third reference
/// would make each of their tasks one KiB larger.
struct HealthReporter: HealthService {
    private let source: Source
    private let followed: Broadcaster<HealthV1.CheckResponse>

    init(readiness: Readiness, parts: ProgramParts, time: any Time) {
        let source = Source(readiness, parts)
        self.source = source
        followed = Broadcaster(time: time) { source.changes() }
    }

    func check(
        _ request: HealthV1.CheckRequest, _ context: CallContext
    ) throws -> HealthV1.CheckResponse {
        source.answer
    }

    func watch(
        _ request: HealthV1.CheckRequest, _ items: OutgoingItems<HealthV1.CheckResponse>,
        _ context: CallContext
    ) async throws {
        try await followed.send(to: items)
    }

    /// The source of the responses.
    fileprivate final class Source: Sendable {
        private let readiness: Readiness
        private let parts: ProgramParts
        private let order = Mutex(())

        init(_ readiness: Readiness, _ parts: ProgramParts) {
            self.readiness = readiness
            self.parts = parts
        }

        /// The response of Check.
        var answer: HealthV1.CheckResponse {
            HealthAnswer(state: readiness.state, parts: parts.states).response
        }

        /// An item of Watch. Parts that work are omitted, since thousands of streams receive the
        /// item again at each heartbeat.
        private var item: HealthV1.CheckResponse {
            let failing = parts.states.filter { $0.failure != nil }
            return HealthAnswer(state: readiness.state, parts: failing).response
        }

        /// The current item, then the item after each change of readiness or of a part.
        func changes() -> AsyncStream<HealthV1.CheckResponse> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let task = Task { await send(to: continuation) }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        private func send(
            to continuation: AsyncStream<HealthV1.CheckResponse>.Continuation
        ) async {
            let (states, looks) = (readiness.changes(), parts.changes())
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in states { self.yield(to: continuation) } }
                group.addTask { for await _ in looks { self.yield(to: continuation) } }
            }
        }

        /// Reads and sends while holding the lock, so that the last item is the newest.
        private func yield(to continuation: AsyncStream<HealthV1.CheckResponse>.Continuation) {
            order.withLock { _ in _ = continuation.yield(item) }
        }
    }
}
