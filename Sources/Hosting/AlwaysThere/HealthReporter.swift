import Contracts
import Messages
import RPC
import ServiceRuntime

/// Says whether the program takes calls, and which part is missing if not.
struct HealthReporter: HealthService {
    private let readiness: Readiness
    private let followed: Followed<HealthV1.CheckResponse>

    init(readiness: Readiness, time: any Time) {
        self.readiness = readiness
        followed = Followed(time: time) { readiness.changes().map { Self.response($0) } }
    }

    func check(
        _ request: HealthV1.CheckRequest, _ context: CallContext
    ) throws -> HealthV1.CheckResponse {
        Self.response(readiness.state)
    }

    func watch(
        _ request: HealthV1.CheckRequest, _ items: OutgoingItems<HealthV1.CheckResponse>,
        _ context: CallContext
    ) async throws {
        try await followed.send(to: items)
    }

    private static func response(_ state: Readiness.State) -> HealthV1.CheckResponse {
        switch state {
        case .ready: HealthV1.CheckResponse(status: .serving)
        case .draining: HealthV1.CheckResponse(status: .notServing)
        case .waiting(let parts):
            HealthV1.CheckResponse(
                status: .notServing,
                parts: parts.map { HealthV1.PartHealth(name: $0, status: .notServing) })
        }
    }
}
