import Messages
import ServiceRuntime

/// The program's health responses (X-07). Pure:
///
///     state of the program       a part fails   Health/Check   /readyz, /health   /livez
///     waits for a part           any            NOT_SERVING    503                200
///     ready                      no             SERVING        200                200
///     ready                      yes            SERVING        200, lists it      200
///     draining                   any            NOT_SERVING    503                200
///     an event loop or a store's writer hangs: /livez is 503 in every state
///     a setting does not do what it seems to: /readyz of a ready program says so, nothing else
///
/// A failing part never causes NOT_SERVING: a store that rejects writes still serves reads, and all
/// instances share their peers, so that a load balancer would remove all of them at once.
struct HealthAnswer: Hashable {
    let state: Readiness.State
    /// Sorted by name.
    let parts: [ProgramParts.Part]
    /// About settings.
    var warnings: [String] = []

    /// Whether the HTTP status is 200 (otherwise 503).
    var isReady: Bool { state == .ready }

    /// The body of `/readyz`.
    var text: String {
        guard isReady else { return "not serving\n" }
        let degraded = parts.filter { $0.failure != nil }.map(\.name)
        let state =
            degraded.isEmpty ? "serving" : "serving, degraded: \(degraded.joined(separator: ", "))"
        return ([state] + warnings).joined(separator: "; warning: ") + "\n"
    }

    /// The response of Health/Check.
    var response: HealthV1.CheckResponse {
        switch state {
        case .ready: HealthV1.CheckResponse(status: .serving, parts: partsHealth)
        case .draining: HealthV1.CheckResponse(status: .notServing, parts: partsHealth)
        case .waiting(let waiting):
            HealthV1.CheckResponse(
                status: .notServing,
                parts: waiting.map { HealthV1.PartHealth(name: $0, status: .notServing) }
                    + partsHealth)
        }
    }

    private var partsHealth: [HealthV1.PartHealth] {
        parts.map { part in
            HealthV1.PartHealth(
                name: part.name, status: part.failure == nil ? .serving : .degraded,
                detail: part.failure?.detail ?? "",
                failingSince: part.failure.map { .failingSinceAtMs($0.since.milliseconds) })
        }
    }
}
