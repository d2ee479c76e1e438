import Messages
import NIOCore
import ServiceRuntime

/// Follows the health that the server of one connection reports: its state at once, each change,
/// and a heartbeat. A server that has stopped serving or sending gets no calls within a second. The
/// stream belongs to the connection and not to the pool: no breaker counts it, and it does not keep
/// a pool from becoming idle.
///
/// A server that does not know `Watch`, or does not permit it, counts as serving; its connection,
/// breaker and GoAway show its state. Polling `Check` instead would be a second mechanism to
/// maintain, needed only for servers older than all of ours.
final class WatchedHealth {
    static let method = "postern.health.v1.Health/Watch"
    /// A server that sends nothing for this long counts as not serving. A heartbeat may be 400 ms
    /// late, and the total is less than a second.
    static let silenceTimeout = FrameLimits.watchHeartbeat + .milliseconds(400)
    /// From the end of a stream to the next, so that a server that ends each stream is not flooded.
    static let pause = Duration.milliseconds(500)
    /// The longest life of one stream; then the next one replaces it.
    static let longest = Duration.seconds(3_600)

    private let loop: any EventLoop
    private let time: any Time
    private let report: (State) -> Void
    private var connection: ClientConnection?
    private var call: PendingCall?
    private var stream: CallStream?
    private var silence: Scheduled<Void>?
    private var next: Scheduled<Void>?

    init(
        _ connection: ClientConnection, _ loop: any EventLoop, time: any Time,
        report: @escaping (State) -> Void
    ) {
        self.connection = connection
        self.loop = loop
        self.time = time
        self.report = report
    }

    func stop() {
        connection = nil
        silence?.cancel()
        next?.cancel()
        guard let call else { return }
        if let (connection, number) = call.carrier { connection.cancel(number) }
        call.fail(ServiceError(.cancelled))
    }

    /// Starts the stream; restarts it whenever it ends.
    func follow() {
        guard let connection else { return }
        let now = time.uptime()
        let stream = CallStream(loop)
        let health = NIOLoopBound(self, eventLoop: loop)
        // Deferred: the connection is still accounting for the item's bytes.
        stream.onItem = { [loop] in loop.execute { health.value.take() } }
        let call = PendingCall(
            OutgoingRequest(method: Self.method, metadata: Metadata(), payload: []),
            deadline: now + Self.longest, connectDue: now, streams: .response, isWatch: true,
            stream: stream
        ) { [self] in ended(stream, $0) }
        self.stream = stream
        self.call = call
        if silence == nil { awaitItem() }
        connection.start(call)
    }

    private func take() {
        guard connection != nil, let stream else { return }
        // The items are in reverse order.
        switch stream.take({ try HealthV1.CheckResponse.decode($0, in: $1) }) {
        case .items(let items):
            guard let last = items.first else { return }
            awaitItem()
            report(last.status == .serving ? .serving : .notServing)
        case .failed:
            // An item that does not decode does not show that the server serves, and it would stay
            // at the front of the inbox. So the stream is cancelled and a new one is started.
            if let carrier = call?.carrier { carrier.connection.cancel(carrier.call) }
        case .nothing, .ended: break
        }
    }

    private func awaitItem() {
        silence?.cancel()
        let health = NIOLoopBound(self, eventLoop: loop)
        silence = loop.scheduleTask(in: TimeAmount(Self.silenceTimeout)) {
            health.value.report(.notServing)
        }
    }

    private func ended(_ stream: CallStream, _ result: Result<BorrowedResponse, ServiceError>) {
        stream.onItem = nil
        stream.end(CallStream.Ending(result))
        self.stream = nil
        call = nil
        guard connection != nil else { return }
        switch Self.verdict(on: result) {
        case .state(let state): report(state)
        case .unchanged: awaitItem()
        case .unsupported:
            stop()
            return report(.serving)
        }
        let health = NIOLoopBound(self, eventLoop: loop)
        next = loop.scheduleTask(in: TimeAmount(Self.pause)) { health.value.follow() }
    }

    /// What the end of the stream shows about the server.
    enum Verdict: Hashable {
        case state(State)
        /// Unknown, because of overload or a deadline; the last reported state remains.
        case unchanged
        /// This server does not support such calls, or does not permit ours; the connection must
        /// suffice.
        case unsupported
    }

    static func verdict(on result: Result<BorrowedResponse, ServiceError>) -> Verdict {
        guard case .failure(let error) = result else { return .state(.notServing) }  // stopping
        return switch error.code {
        case .unknownMethod, .permissionDenied, .unauthenticated: .unsupported
        case .resourceExhausted, .deadlineExceeded: .unchanged
        default: .state(.notServing)
        }
    }

    /// The health that a server has reported.
    enum State: Hashable {
        /// Nothing reported yet.
        case unknown
        case serving
        case notServing
    }
}
