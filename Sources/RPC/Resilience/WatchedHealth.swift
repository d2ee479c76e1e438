import Messages
import NIOCore
import ServiceRuntime

/// Follows what the server behind one connection says of itself: its state at once, each change,
/// and a heartbeat, so that one that has stopped serving, or speaking, gets no calls within a
/// second. The stream belongs to the connection and not to the pool: no breaker counts it, and no
/// pool stays warm for it.
///
/// A server that does not know `Watch`, or does not let us, counts as serving: the connection, its
/// breaker and GoAway speak for it. Asking it `Check` instead would be a second way to keep, for
/// servers that are older than every one of ours.
final class WatchedHealth: EndpointHealth {
    static let method = "postern.health.v1.Health/Watch"
    /// Without a word for so long a server counts as not serving: a heartbeat that comes 400 ms
    /// late is still one, and all in all it is less than a second.
    static let patience = FrameLimits.watchHeartbeat + .milliseconds(400)
    /// From the end of a stream to the next, so that a server that ends each is not flooded.
    static let pause = Duration.milliseconds(500)
    /// No stream is followed for longer; the next takes over.
    static let longest = Duration.seconds(3_600)

    private let loop: any EventLoop
    private let time: any Time
    private let tell: (ServingState) -> Void
    private var connection: ClientConnection?
    private var call: PendingCall?
    private var stream: CallStream?
    private var silence: Scheduled<Void>?
    private var next: Scheduled<Void>?

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
        silence?.cancel()
        next?.cancel()
        guard let call else { return }
        if let (connection, number) = call.carrier { connection.cancel(number) }
        call.fail(ServiceError(.cancelled))
    }

    /// Follows, and goes on following.
    func follow() {
        guard let connection else { return }
        let now = time.uptime()
        let stream = CallStream(loop)
        let health = NIOLoopBound(self, eventLoop: loop)
        // Later: the connection is still counting the item's bytes.
        stream.onItem = { [loop] in loop.execute { health.value.take() } }
        let call = PendingCall(
            OutgoingRequest(method: Self.method, metadata: Metadata(), payload: []),
            deadline: now + Self.longest, connectDue: now, streams: .response, isWatch: true,
            stream: stream
        ) { [self] in ended(stream, $0) }
        self.stream = stream
        self.call = call
        if silence == nil { awaitWord() }
        connection.start(call)
    }

    private func take() {
        guard connection != nil, let stream else { return }
        // The last that came comes first.
        switch stream.take({ try HealthV1.CheckResponse(decoding: $0, in: $1) }) {
        case .items(let items):
            guard let last = items.first else { return }
            awaitWord()
            tell(last.status == .serving ? .serving : .notServing)
        case .failed:
            // What does not decode is no word of serving, and would stand before every later one:
            // the stream is given up, and followed anew.
            if let carrier = call?.carrier { carrier.connection.cancel(carrier.call) }
        case .nothing, .ended: break
        }
    }

    private func awaitWord() {
        silence?.cancel()
        let health = NIOLoopBound(self, eventLoop: loop)
        silence = loop.scheduleTask(in: TimeAmount(Self.patience)) {
            health.value.tell(.notServing)
        }
    }

    private func ended(_ stream: CallStream, _ result: Result<BorrowedResponse, ServiceError>) {
        stream.onItem = nil
        stream.end(CallStream.Ending(result))
        self.stream = nil
        call = nil
        guard connection != nil else { return }
        switch Self.verdict(on: result) {
        case .state(let state): tell(state)
        case .unsaid: awaitWord()
        case .never:
            stop()
            return tell(.serving)
        }
        let health = NIOLoopBound(self, eventLoop: loop)
        next = loop.scheduleTask(in: TimeAmount(Self.pause)) { health.value.follow() }
    }

    /// What the end of the stream says.
    enum Verdict: Hashable {
        case state(ServingState)
        /// Too busy to say, or its time was over; the last word stands.
        case unsaid
        /// This server does not answer such questions, at least not ours: a connection must do.
        case never
    }

    static func verdict(on result: Result<BorrowedResponse, ServiceError>) -> Verdict {
        guard case .failure(let error) = result else { return .state(.notServing) }  // it stops
        return switch error.code {
        case .unknownMethod, .permissionDenied, .unauthenticated: .never
        case .resourceExhausted, .deadlineExceeded: .unsaid
        default: .state(.notServing)
        }
    }
}
