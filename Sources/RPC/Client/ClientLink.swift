import Messages
import NIOCore
import NIOPosix
import ServiceRuntime

/// A client's connection to one address of its service on one event loop. It connects when a call
/// needs it, and reconnects after a loss with backoff.
///
///     idle ──wanted──▶ connecting ──Hello──▶ ready
///       ▲                 │ failed            │ lost or GoAway
///       │                 ▼                   ▼
///       └──not wanted── resting ◀─────────────┘   (backoff, or the time that GoAway requested)
///
/// After the GoAway of a draining server that has answered calls, it reconnects at once: the server
/// may only want fresh connections. The draining connection finishes its calls while the new one
/// takes new calls.
final class ClientLink {
    /// The events that the owner receives.
    enum Change {
        case ready
        case lost(ServiceError)
    }

    private enum State {
        case idle
        case connecting
        case ready(ClientConnection)
        /// Backoff. An ordered rest was requested by the server and must not be cut short.
        case resting(isOrdered: Bool)
        case closed
    }

    /// The longest retry delay that a server's GoAway can impose.
    static let longestOrder = Duration.seconds(600)

    private let settings: ClientSettings
    /// The configured address from which `address` was resolved.
    let target: ServiceAddress
    private let address: SocketAddress
    private let loop: any EventLoop
    private let time: any Time
    private let randomness: any Randomness
    private let isWanted: () -> Bool
    private let onChange: (Change) -> Void
    private var state = State.idle
    private var backoff = Backoff()
    private var rest: Scheduled<Void>?
    private var hasAnswered = false
    /// Whether the last attempt failed.
    private(set) var isFailing = false
    /// Why the last connection failed or was lost; nil while connected.
    private(set) var failure: String?

    init(
        _ pool: ClientPool, _ target: ServiceAddress, at address: SocketAddress,
        isWanted: @escaping () -> Bool, onChange: @escaping (Change) -> Void
    ) {
        settings = pool.settings
        loop = pool.loop
        time = pool.time
        randomness = pool.randomness
        self.target = target
        self.address = address
        self.isWanted = isWanted
        self.onChange = onChange
    }

    /// The connection that accepts calls, if there is one.
    var connection: ClientConnection? {
        if case .ready(let connection) = state { connection } else { nil }
    }

    /// Whether it is connected or connecting.
    var isHopeful: Bool {
        switch state {
        case .connecting, .ready: true
        case .idle, .resting, .closed: false
        }
    }

    /// Connects if idle. With `isProbe` it also ends the backoff, because the breaker has already
    /// waited.
    func want(isProbe: Bool = false) {
        switch state {
        case .idle: connect()
        case .resting(isOrdered: false) where isProbe: connect()
        case .connecting, .ready, .resting, .closed: break
        }
    }

    /// A call was answered, so the server works.
    func answered() {
        hasAnswered = true
        backoff.reset()
    }

    /// Accepts no more calls, and closes when the running calls are over.
    func retire() { end { $0.retire() } }

    /// Closes; calls still running end with `unavailable`.
    func close() { end { $0.close() } }

    private func end(_ body: (ClientConnection) -> Void) {
        let before = connection
        state = .closed
        rest?.cancel()
        rest = nil
        if let before { body(before) }
    }

    // MARK: Connecting

    private func connect() {
        rest?.cancel()
        rest = nil
        state = .connecting
        hasAnswered = false
        let link = NIOLoopBound(self, eventLoop: loop)
        let settings = settings
        let host = target.host
        let time = time
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(2))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.tcpOption(.userTimeout), value: TCPUserTimeout.milliseconds)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try settings.guardChannel(channel, to: host)
                    try channel.pipeline.syncOperations.addHandler(
                        ClientConnection(
                            settings, time: time,
                            onReady: { link.value.ready($0) },
                            onLoss: { connection, error in link.value.lost(connection, error) }))
                }
            }
            .connect(to: address)
            .whenFailure { error in
                link.value.failed(
                    ServiceError(
                        .unavailable, detail: ConnectionFailure.text(error), notProcessed: true))
            }
    }

    private func ready(_ connection: ClientConnection) {
        guard case .connecting = state else { return connection.close() }
        state = .ready(connection)
        isFailing = false
        failure = nil
        onChange(.ready)
    }

    private func lost(_ connection: ClientConnection, _ error: ServiceError) {
        if case .ready(let current) = state, current !== connection { return }
        let farewell = connection.farewell
        let ordered = min(.milliseconds(Int64(farewell?.retryAfterMs ?? 0)), Self.longestOrder)
        switch farewell?.reason {
        case .idle where ordered == .zero: leave(.idle, error)
        case .draining where ordered == .zero && hasAnswered:
            leave(.idle, error)
            if isWanted() { want() }
        default: failed(error, ordered: ordered)
        }
    }

    private func leave(_ next: State, _ error: ServiceError) {
        if case .closed = state { return }
        state = next
        failure = error.detail
        onChange(.lost(error))
    }

    // MARK: Backoff

    private func failed(_ error: ServiceError, ordered: Duration = .zero) {
        if case .closed = state { return }
        isFailing = true
        let wait = max(backoff.next(jitter: randomness.integer()), ordered)
        let link = NIOLoopBound(self, eventLoop: loop)
        rest = loop.scheduleTask(in: TimeAmount(wait)) { link.value.rested() }
        leave(.resting(isOrdered: ordered > .zero), error)
    }

    private func rested() {
        guard case .resting = state else { return }
        state = .idle
        if isWanted() { connect() }
    }
}
