import Messages
import NIOCore
import ServiceRuntime

/// Asks the server behind one connection every half second whether it serves. With the answer's
/// patience a server that has stopped serving, or answering, gets no calls within a second.
final class CheckedHealth: EndpointHealth {
    /// From one question to the next.
    static let interval = Duration.milliseconds(500)
    /// How long an answer may take: with the interval less than a second.
    static let patience = Duration.milliseconds(400)
    static let method = "postern.health.v1.Health/Check"

    private let loop: any EventLoop
    private let time: any Time
    private let tell: (ServingState) -> Void
    private var connection: ClientConnection?
    private var timer: Scheduled<Void>?

    init(
        _ connection: ClientConnection, _ loop: any EventLoop, time: any Time,
        tell: @escaping (ServingState) -> Void
    ) {
        self.connection = connection
        self.loop = loop
        self.time = time
        self.tell = tell
    }

    func stop() {
        connection = nil
        timer?.cancel()
        timer = nil
    }

    /// Asks, and goes on asking.
    func ask() {
        guard let connection else { return }
        let health = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(in: TimeAmount(Self.interval)) { health.value.ask() }
        let now = time.uptime()
        let request = OutgoingRequest(method: Self.method, metadata: Metadata(), payload: [])
        connection.start(
            PendingCall(request, deadline: now + Self.patience, connectDue: now) { [self] result in
                heard(result)
            })
    }

    private func heard(_ result: Result<LentAnswer, ServiceError>) {
        guard connection != nil else { return }
        switch Self.verdict(on: result) {
        case .state(let state): tell(state)
        case .unsaid: break
        case .never:
            stop()
            tell(.serving)
        }
    }

    /// What an answer to the question says.
    enum Verdict: Hashable {
        case state(ServingState)
        /// Too busy to say; the last word stands.
        case unsaid
        /// This server does not answer such questions, at least not ours: a connection must do.
        case never
    }

    static func verdict(on result: Result<LentAnswer, ServiceError>) -> Verdict {
        switch result {
        case .success(let answer):
            // An answer that does not decode is no word of serving.
            let response = try? HealthV1.CheckResponse(decoding: answer.payload, in: answer.arena)
            return .state(response?.status == .serving ? .serving : .notServing)
        case .failure(let error):
            switch error.code {
            case .unknownMethod, .permissionDenied, .unauthenticated: return .never
            case .resourceExhausted: return .unsaid
            default: return .state(.notServing)
            }
        }
    }
}
