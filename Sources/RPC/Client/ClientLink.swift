import NIOCore
import NIOPosix
import ServiceRuntime

/// A client's tie to its server on one event loop: connects on first use, again after a loss with
/// backoff, and lets calls wait for that a while.
///
///     idle ──call──▶ connecting ──Hello──▶ ready
///       ▲               │ failed            │ lost or GoAway
///       │               ▼                   ▼
///       └──no calls── resting ◀─────────────┘   (backoff; then connecting, if calls wait)
final class ClientLink {
    private enum State {
        case idle
        case connecting
        case ready(ClientConnection)
        case resting
    }

    private let settings: ClientSettings
    private let loop: any EventLoop
    private let time: any Time
    private let randomness: any Randomness
    private var state = State.idle
    private var waiting: [PendingCall] = []
    private var backoff = ReconnectBackoff()
    private var isExpiryScheduled = false
    private var isClosed = false

    init(
        _ settings: ClientSettings, _ loop: any EventLoop, time: any Time,
        randomness: any Randomness
    ) {
        self.settings = settings
        self.loop = loop
        self.time = time
        self.randomness = randomness
    }

    func start(_ call: PendingCall) {
        guard !isClosed else { return call.fail(Self.closed) }
        if case .ready(let connection) = state { return connection.start(call) }
        waiting.append(call)
        if case .idle = state { connect() }
        scheduleExpiry()
    }

    func cancel(_ call: PendingCall) {
        // Not the present connection's, perhaps: a draining one finishes what it has.
        if let (connection, number) = call.carrier { connection.cancel(number) }
        waiting.removeAll { $0 === call }
        call.fail(ServiceError(.cancelled))
    }

    func close() {
        isClosed = true
        let before = state
        state = .idle
        if case .ready(let connection) = before { connection.close() }
        let calls = waiting
        waiting = []
        for call in calls { call.fail(Self.closed) }
    }

    private static var closed: ServiceError {
        ServiceError(.unavailable, detail: "this client is closed")
    }

    // MARK: Connecting

    private func connect() {
        state = .connecting
        let link = NIOLoopBound(self, eventLoop: loop)
        let settings = settings
        let time = time
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(2))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try settings.guardChannel(channel)
                    try channel.pipeline.syncOperations.addHandler(
                        ClientConnection(
                            settings, time: time,
                            onReady: { link.value.ready($0) },
                            onLoss: { connection, error in link.value.lost(connection, error) }))
                }
            }
            .connect(host: settings.host, port: settings.port)
            .whenFailure { _ in link.value.rest(nil) }
    }

    private func ready(_ connection: ClientConnection) {
        guard !isClosed else { return connection.close() }
        state = .ready(connection)
        let calls = waiting
        waiting = []
        for call in calls where !call.isOver { connection.start(call) }
    }

    private func lost(_ connection: ClientConnection, _ error: ServiceError) {
        if case .ready(let current) = state, current !== connection { return }
        rest(error.code == .unauthenticated ? error : nil)
    }

    /// Waits before the next attempt. With an error that another attempt will not mend, the calls
    /// that wait are told at once.
    private func rest(_ error: ServiceError?) {
        guard !isClosed else { return }
        state = .resting
        if let error {
            let calls = waiting
            waiting = []
            for call in calls { call.fail(error) }
        }
        let link = NIOLoopBound(self, eventLoop: loop)
        let wait = backoff.next(jitter: randomness.integer())
        loop.scheduleTask(in: TimeAmount(wait)) { link.value.rested() }
    }

    private func rested() {
        guard case .resting = state else { return }
        state = .idle
        if !waiting.isEmpty { connect() }
    }

    /// A call was answered: the server is well.
    func succeeded() { backoff.reset() }

    // MARK: Patience

    private func scheduleExpiry() {
        guard !isExpiryScheduled else { return }
        isExpiryScheduled = true
        let link = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(50)) {
            link.value.isExpiryScheduled = false
            link.value.expire()
        }
    }

    private func expire() {
        let uptime = time.uptime()
        let isOver: (PendingCall) -> Bool = { min($0.connectDue, $0.deadline) <= uptime }
        let expired = waiting.filter(isOver)
        waiting.removeAll(where: isOver)
        for call in expired {
            let code: ErrorCode = call.deadline <= uptime ? .deadlineExceeded : .unavailable
            call.fail(
                ServiceError(
                    code, detail: "\(settings.service) cannot be reached", notProcessed: true))
        }
        if !waiting.isEmpty { scheduleExpiry() }
    }
}
