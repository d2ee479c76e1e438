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
        if case .barred(let until) = breaker.permission(at: uptime()) {
            return .barred(until: until)
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
        // A follower may run for days. As the probe of a half-open breaker it would block all other
        // calls as long.
        let permission = call.isWatch ? .pass : breaker.admit(at: pool.time.uptime())
        running += 1
        call.placement = Placement(endpoint: self, permission: permission)
        connection.start(call)
    }

    /// A call that was started here has ended.
    func ended(_ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome) {
        running -= 1
        if outcome == .answered { link?.answered() }
        count(permission, outcome)
    }

    private func count(
        _ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome
    ) {
        guard link != nil else { return }  // the address was removed, and its breaker with it
        let wasClosed = isClosed
        guard let change = breaker.ended(permission, outcome, at: pool.time.uptime()) else {
            return
        }
        pool.reports.breaker(change, of: name)
        if wasClosed != isClosed { isClosed ? openBreakers.decrement() : openBreakers.increment() }
    }

    private var isClosed: Bool { if case .closed = breaker.state { true } else { false } }

    // MARK: Calls that wait for a connection

    /// A call waits for a connection.
    /// - Returns: whether it is the breaker's probe.
    func takeWaiting(at uptime: Duration) -> Bool {
        let permission = breaker.admit(at: uptime)
        link?.want(isProbe: permission == .probe)
        return permission == .probe
    }

    /// A call timed out or was abandoned while waiting; `isProbe` is what `takeWaiting` returned.
    func awaitedInVain(isProbe: Bool) {
        let isAtFault = !isConnected && link?.isFailing ?? false
        count(isProbe ? .probe : .pass, isAtFault ? .failed : .abandoned)
    }

    /// The call that was the probe goes elsewhere or is started again.
    func giveBackProbe() { count(.probe, .abandoned) }

    // MARK: Its connection

    /// Connects, unless it is in backoff.
    func want() { link?.want() }

    /// Accepts no more calls, because the address was removed or the client is idle.
    func retire() { end { $0.retire() } }

    /// Closes the connection, when the program stops.
    func close() { end { $0.close() } }

    private func end(_ body: (ClientLink) -> Void) {
        unwatch()
        if !isClosed { openBreakers.decrement() }
        breaker = CircuitBreaker()
        if let link { body(link) }
        link = nil
    }

    private func changed(_ change: ClientLink.Change) {
        switch change {
        case .ready:
            breaker.foundAgain(at: pool.time.uptime())
            watchHealth()
            pool.connected()
        case .lost(let error):
            unwatch()
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
    ///     DEADLINE_EXCEEDED, deadline set by this program   failed, at whichever side it passed
    ///     DEADLINE_EXCEEDED, deadline set by a caller
    ///         returned by the server                        answered: the server works
    ///         at this client, 1 s or more was given         failed
    ///         at this client, less was given                abandoned
    ///
    /// Attack: calls with short deadlines are relayed until the breaker opens for all callers. A
    /// caller's timeout that is too short must not count as a failure of the server.
    struct Placement {
        /// A server that has not responded for this long has failed, even if it was a caller's
        /// deadline that passed. It is longer than a password hash takes under load.
        static let answerFloor = Duration.seconds(1)

        let endpoint: ClientEndpoint
        let permission: CircuitBreaker.Permission

        func ended(
            _ result: Result<BorrowedResponse, ServiceError>, isAnswered: Bool,
            callersTime: Duration?
        ) {
            endpoint.ended(
                permission,
                Self.outcome(result, isAnswered: isAnswered, callersTime: callersTime))
        }

        /// - Parameters:
        ///   - isAnswered: The server itself ended the call.
        ///   - callersTime: If the deadline is that of a caller of this program, the time left when
        ///     the call began; nil where this program set the deadline.
        static func outcome(
            _ result: Result<BorrowedResponse, ServiceError>, isAnswered: Bool,
            callersTime: Duration?
        ) -> CircuitBreaker.Outcome {
            guard case .failure(let error) = result else { return .answered }
            switch error.code {
            case .deadlineExceeded where error.notProcessed: return .abandoned
            case .deadlineExceeded:
                guard let callersTime else { return .failed }
                if isAnswered { return .answered }
                return callersTime >= answerFloor ? .failed : .abandoned
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
