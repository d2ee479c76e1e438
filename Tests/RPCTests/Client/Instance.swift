import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// One instance of a test service. It answers as the test says and counts its calls.
final class Instance: Sendable {
    typealias Request = SessionV1.ValidateAccessTokenRequest
    typealias Response = SessionV1.ValidateAccessTokenResponse

    static let plain = method("Plain")
    static let repeatable = method("Repeatable", isIdempotent: true)
    static let hedged = method("Hedged", isIdempotent: true, hedgeAfter: .milliseconds(30))
    /// Later than any answer of a healthy instance.
    static let hedgedLate = method("HedgedLate", isIdempotent: true, hedgeAfter: .seconds(5))

    /// A method of ours that is marked for hedging.
    static let read = SessionsDescription.validateAccessToken

    private static let methods = [plain, repeatable, hedged, hedgedLate, read]

    /// How the instance answers.
    enum Mood: Sendable {
        case well
        /// Sleeps this long before it answers.
        case slow(Duration)
        /// Fails this many more times, then answers normally.
        case failing(ServiceError, times: Int = .max)
        /// Waits at the gate until it opens.
        case stuck
    }

    private struct State {
        var mood = Mood.well
        var isServing = true
        var isSilent = false
        var arrivals: [ContinuousClock.Instant] = []
        var attempts: [String] = []
    }

    let name: String
    let gate = Gate()
    /// Whether it serves `Health/Watch`.
    private let reportsHealth: Bool
    private let state = Mutex(State())

    init(_ name: String, reportsHealth: Bool = true) {
        self.name = name
        self.reportsHealth = reportsHealth
    }

    var calls: Int { state.withLock { $0.arrivals.count } }
    var arrivals: [ContinuousClock.Instant] { state.withLock { $0.arrivals } }
    /// The `attempt` metadata of each call; empty where there was none.
    var attempts: [String] { state.withLock { $0.attempts } }

    func feels(_ mood: Mood) { state.withLock { $0.mood = mood } }
    func serves(_ isServing: Bool) { state.withLock { $0.isServing = isServing } }
    func isSilent(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    var methods: [ServiceMethods] {
        [
            ServiceMethods(
                ServiceDescription(name: "test.v1.Instance", methods: [], fileDescriptors: []),
                Self.methods.map { .async($0, answer) }),
            ServiceMethods(
                ServiceDescription(
                    name: "postern.health.v1.Health", methods: [], fileDescriptors: []),
                reportsHealth
                    ? [
                        .serverStream(HealthDescription.watch) {
                            [self] (_: HealthV1.CheckRequest, items, _) in try await tell(items)
                        }
                    ] : []),
        ]
    }

    private func answer(_ request: Request, _ context: CallContext) async throws -> Response {
        let mood = state.withLock { state in
            state.arrivals.append(.now)
            state.attempts.append(context.metadata["attempt"] ?? "")
            defer {
                if case .failing(let error, let times) = state.mood, times < .max {
                    state.mood = times > 1 ? .failing(error, times: times - 1) : .well
                }
            }
            return state.mood
        }
        switch mood {
        case .well: break
        case .slow(let duration): try await Task.sleep(for: duration)
        case .failing(let error, _): throw error
        case .stuck: try await gate.pass()
        }
        return Response(valid: true, sessionId: name)
    }

    /// Sends each change of health and a heartbeat; sends nothing while it is silent.
    private func tell(_ items: OutgoingItems<HealthV1.CheckResponse>) async throws {
        let clock = ContinuousClock()
        var reported: (isServing: Bool, at: ContinuousClock.Instant)?
        while true {
            let (isServing, isSilent) = state.withLock { ($0.isServing, $0.isSilent) }
            let isDue =
                reported.map {
                    $0.isServing != isServing || clock.now - $0.at >= .milliseconds(500)
                }
                ?? true
            if isDue, !isSilent {
                try await items.write(
                    HealthV1.CheckResponse(status: isServing ? .serving : .notServing))
                reported = (isServing, clock.now)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func method(
        _ name: String, isIdempotent: Bool = false, hedgeAfter: Duration? = nil
    ) -> MethodDescription {
        MethodDescription(
            name: name.contains("/") ? name : "test.v1.Instance/\(name)",
            isIdempotent: isIdempotent, timeout: .seconds(10), isOnLoop: false,
            hedgeAfter: hedgeAfter)
    }
}
