import Messages
import ServiceRuntime

/// What a program answers about itself (X-07). Pure:
///
///     the program               a part fails   Health/Check   /readyz, /health   /livez
///     starts (a part waits)     any            NOT_SERVING    503                200
///     is ready                  no             SERVING        200                200
///     is ready                  yes            SERVING        200, and names it  200
///     stops                     any            NOT_SERVING    503                200
///     an event loop or a store's writer hangs: /livez 503, whatever the rest
///
/// A part that fails never makes it NOT_SERVING: a store that takes no writes still reads, and every
/// instance shares its peers, so that a balancer would take all of them out at once.
struct HealthAnswer: Hashable {
    let state: Readiness.State
    /// In the order of their names.
    let parts: [PartState]

    /// 200 or 503.
    var isReady: Bool { state == .ready }

    /// The page of `/readyz`.
    var text: String {
        guard isReady else { return "not serving\n" }
        let degraded = parts.filter { $0.trouble != nil }.map(\.name)
        return degraded.isEmpty
            ? "serving\n" : "serving, degraded: \(degraded.joined(separator: ", "))\n"
    }

    /// The answer of Health/Check.
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
                name: part.name, status: part.trouble == nil ? .serving : .degraded,
                sinceMs: part.trouble?.since.milliseconds ?? 0, detail: part.trouble?.detail ?? "")
        }
    }
}
