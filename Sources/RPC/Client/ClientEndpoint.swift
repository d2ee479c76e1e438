import CoreMetrics
import NIOCore
import ServiceRuntime

/// One address of a service, as used by one event loop: the link to it, its reported health, and
/// its circuit breaker. Each loop has its own, so no lock is needed. Another loop learns of a
/// failure after as many failed calls of its own.
final class ClientEndpoint {
    let address: SocketAddress
    /// The name in logs and metrics.
    let name: String
    /// Endpoint and pool refer to each other until the pool removes the address, at the latest when
    /// idle.
    private let pool: ClientPool
    private var health = WatchedHealth.State.unknown
    private var watch: WatchedHealth?
    private var breaker = CircuitBreaker()
    private let openBreakers: Meter
    private var probeTimer: Scheduled<Void>?
    private var probeCall: PendingCall?
    /// Calls started here that have not ended.
    private(set) var running = 0
    private var link: ClientLink?

    init(_ target: ServiceAddress, at address: SocketAddress, _ pool: ClientPool) {
        self.address = address
        self.pool = pool
        name = address.hostAndPort
        openBreakers = pool.reports.openBreakers(of: name)
        link = ClientLink(
            pool, target, at: address, isWanted: { pool.isWarm },
            onChange: { [self] in changed($0) })
    }

    var isConnected: Bool { link?.connection != nil }
    var isHopeful: Bool { link?.isHopeful ?? false }

    /// What a call can expect here.
    func condition(at uptime: @autoclosure () -> Duration) -> Balancer.Condition {
        switch breaker.permission(at: uptime()) {
        case .pass: break
        case .barred(let until): return .barred(until: until)
        // The probe is this client's own and is about to be sent.
        case .probe: return .barred(until: uptime() + CircuitBreaker.probeTimeout)
        }
        guard isConnected else { return .unreachable }
        return health == .serving || !pool.isWatching ? .serving : .unhealthy
    }

    /// Why there is no connection.
    var failure: (address: String, text: String) {
        (name, link?.failure ?? (isHopeful ? "no answer yet" : "not connected"))
    }

    // MARK: Calls

    /// Starts a call here.
    func start(_ call: PendingCall) {
        guard let connection = link?.connection else { return call.fail(pool.unreached) }
        start(call, .pass, on: connection)
    }

    private func start(
        _ call: PendingCall, _ permission: CircuitBreaker.Permission,
        on connection: ClientConnection
    ) {
        running += 1
        call.placement = Placement(endpoint: self, permission: permission)
        connection.start(call)
    }

    /// A call that was started here has ended. With nil its deadline has passed at this client, and
    /// its outcome is counted when it is clear whether the server is silent.
    fileprivate func ended(
        _ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome?
    ) {
        running -= 1
        if let outcome { count(permission, outcome) }
    }

    fileprivate func count(
        _ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome
    ) {
        guard let link else { return }  // the address was removed, and its breaker with it
        if outcome == .answered { link.answered() }
        let wasClosed = isClosed
        let change = breaker.ended(permission, outcome, at: pool.time.uptime())
        guard change != nil || permission == .probe else { return }
        if let change { pool.reports.breaker(change, of: name) }
        if wasClosed != isClosed { isClosed ? openBreakers.decrement() : openBreakers.increment() }
        if !isClosed { armProbe() } else if change != nil { pool.connected() }
    }

    private var isClosed: Bool { if case .closed = breaker.state { true } else { false } }

    // MARK: Calls that wait for a connection

    /// A call timed out while waiting.
    func awaitedInVain() {
        if !isConnected, link?.isFailing ?? false { count(.pass, .failed) }
    }

    // MARK: Its breaker's probe

    /// The probe is a health check of this client's own, and no caller's call: that may be slow, have
    /// a short deadline, last for days, or be what makes the server fail, and it should not pay for
    /// the answer. Every server permits this method, and load in no lane sheds it.
    private static let probeMethod = "postern.health.v1.Health/Check"
    /// From the end of a probe that showed nothing to the next.
    private static let probePause = Duration.milliseconds(100)

    /// Sets the timer for the next probe, if the breaker is open.
    private func armProbe() {
        guard case .open(let until, _) = breaker.state else { return }
        probeTimer?.cancel()
        let endpoint = NIOLoopBound(self, eventLoop: pool.loop)
        let wait = max(Self.probePause, until - pool.time.uptime())
        probeTimer = pool.loop.scheduleTask(in: TimeAmount(wait)) { endpoint.value.probe() }
    }

    /// The breaker's wait is over: sends the probe. Without a connection it is the attempt to
    /// connect, which need not wait for its backoff, and then the health check.
    private func probe() {
        guard breaker.admit(at: pool.time.uptime()) == .probe else { return armProbe() }
        if let connection = link?.connection {
            sendProbe(on: connection)
        } else {
            link?.want(isProbe: true)
        }
    }

    private func sendProbe(on connection: ClientConnection) {
        let uptime = pool.time.uptime()
        let call = PendingCall(
            OutgoingRequest(method: Self.probeMethod, metadata: Metadata(), payload: []),
            deadline: uptime + CircuitBreaker.probeTimeout, connectDue: uptime
        ) { [self] _ in probeCall = nil }
        probeCall = call
        start(call, .probe, on: connection)
    }

    /// A connection is ready again. Its server is probed at once.
    private func probeAgain(on connection: ClientConnection) {
        let uptime = pool.time.uptime()
        breaker.foundAgain(at: uptime)
        _ = breaker.admit(at: uptime)  // unless it is probing: by this connection
        probeTimer?.cancel()
        sendProbe(on: connection)
    }

    // MARK: Its connection

    /// Connects, unless it is in backoff.
    func want() { link?.want() }

    /// Accepts no more calls, because the address was removed or the client is idle.
    func retire() { end { $0.retire() } }

    /// Closes the connection, when the program stops.
    func close() { end { $0.close() } }

    private func end(_ body: (ClientLink) -> Void) {
        unwatch()
        probeTimer?.cancel()
        if !isClosed { openBreakers.decrement() }
        breaker = CircuitBreaker()
        if let link { body(link) }
        link = nil
    }

    private func changed(_ change: ClientLink.Change) {
        switch change {
        case .ready:
            watchHealth()
            guard !isClosed, let connection = link?.connection else { return pool.connected() }
            probeAgain(on: connection)
        case .lost(let error):
            unwatch()
            // The attempt to connect was the probe.
            if case .probing = breaker.state, probeCall == nil { count(.probe, .failed) }
            pool.lost(self, error)
        }
    }

    // MARK: Its health

    /// Watches the server's health, if there are several addresses and a connection here.
    func watchHealth() {
        guard pool.isWatching, watch == nil, let connection = link?.connection else { return }
        let watch = WatchedHealth(connection, pool.loop, time: pool.time) { [weak self] state in
            self?.healthChanged(state)
        }
        self.watch = watch
        watch.follow()
    }

    private func unwatch() {
        watch?.stop()
        watch = nil
        health = .unknown
    }

    private func healthChanged(_ state: WatchedHealth.State) {
        guard state != health else { return }
        let isFirst = health == .unknown
        health = state
        if !isFirst || state == .notServing {
            pool.reports.health(isServing: state == .serving, of: name)
        }
    }

    /// The endpoint that the pool chose for a call. Reports to the endpoint's breaker how the call
    /// ended.
    ///
    /// What the end of a call shows about the server:
    ///
    ///     end of the call                                   outcome
    ///     a response, or an error of the server itself      answered
    ///     not processed, or never sent                      abandoned: the server may be draining
    ///     UNAVAILABLE by the transport                      failed
    ///     DEADLINE_EXCEEDED
    ///         returned by the server                        answered: the server works
    ///         at this client, the connection is silent      failed (`ConnectionSilence`)
    ///         at this client, a frame of any kind came      abandoned: the call was slow
    ///
    /// It does not matter who set the deadline. Attack: a few accounts make the server slow, and
    /// calls of one app, with their own deadlines or with those of this program, open the breaker for
    /// the callers of all apps. As long as the server sends anything, none of these calls counts.
    struct Placement {
        let endpoint: ClientEndpoint
        let permission: CircuitBreaker.Permission

        func ended(_ result: Result<BorrowedResponse, ServiceError>, of call: PendingCall) {
            let outcome = Self.outcome(result, isAnswered: call.isAnswered)
            endpoint.ended(permission, outcome)
            if outcome == nil, let connection = call.carrier?.connection {
                connection.deadlinePassed(of: self, since: call.framesBefore)
            }
        }

        /// The deadline has passed, and it is clear whether the server is silent.
        func judged(isSilent: Bool) {
            // A frame of any kind is what a probe asks for.
            let working: CircuitBreaker.Outcome = permission == .probe ? .answered : .abandoned
            endpoint.count(permission, isSilent ? .failed : working)
        }

        /// - Parameter isAnswered: The server itself ended the call.
        /// - Returns: nil if the deadline of a call that was sent has passed at this client.
        static func outcome(
            _ result: Result<BorrowedResponse, ServiceError>, isAnswered: Bool
        ) -> CircuitBreaker.Outcome? {
            guard case .failure(let error) = result else { return .answered }
            switch error.code {
            case .deadlineExceeded where error.notProcessed: return .abandoned
            case .deadlineExceeded: return isAnswered ? .answered : nil
            case .unavailable where !isAnswered: return error.notProcessed ? .abandoned : .failed
            default: return isAnswered ? .answered : .abandoned
            }
        }
    }
}

extension SocketAddress {
    /// The address as text: `127.0.0.1:7402`, `[::1]:7402`.
    fileprivate var hostAndPort: String {
        guard let ipAddress, let port else { return description }
        return ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }
}
