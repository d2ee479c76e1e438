import Contracts
import Messages
import RPC
import ServiceRuntime

/// Says whether the program takes calls, and which part is missing if not.
struct HealthReporter: HealthService {
    let readiness: Readiness

    func check(
        _ request: HealthV1.CheckRequest, _ context: CallContext
    ) throws -> HealthV1.CheckResponse {
        switch readiness.state {
        case .ready: HealthV1.CheckResponse(status: .serving)
        case .draining: HealthV1.CheckResponse(status: .notServing)
        case .waiting(let parts):
            HealthV1.CheckResponse(
                status: .notServing,
                parts: parts.map { HealthV1.PartHealth(name: $0, status: .notServing) })
        }
    }
}
