import CoreMetrics
import NIOCore
import ServiceRuntime

/// One address of a service, as one event loop sees it: the link to it, what it says of itself, and
/// its breaker. Each loop has its own, so that none of it needs a lock; what one loop learns the
/// others learn within as many calls of theirs.
final class ClientEndpoint {
    let address: SocketAddress
    /// As logs and metrics name it.
    let name: String
    /// The two hold each other until the pool lets go of the address, at the latest when idle.
    private let pool: ClientPool
    private var health = ServingState.unknown
    private var watch: (any EndpointHealth)?
    private var breaker = CircuitBreaker()
    private let openBreakers: Meter
    /// Calls that it has been given and that have not ended.
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

    /// What a call could expect here.
    func condition(at uptime: @autoclosure () -> Duration) -> EndpointCondition {
        if case .barred(let until) = breaker.permission(at: uptime()) {
            return .barred(until: until)
        }
        guard isConnected else { return .unreachable }
        return health == .serving || !pool.isWatching ? .serving : .unhealthy
    }

    /// Why no connection stands.
    var trouble: (address: String, text: String) {
        (name, link?.trouble ?? (isHopeful ? "no answer yet" : "not connected"))
    }

    // MARK: Calls

    /// Gives it a call.
    func start(_ call: PendingCall) {
        guard let connection = link?.connection else { return call.fail(pool.unreached) }
        // A follower may last for days: as the probe it would keep everybody else out as long.
        let permission = call.isWatch ? .pass : breaker.admit(at: pool.time.uptime())
        running += 1
        call.placement = Placement(endpoint: self, permission: permission)
        connection.start(call)
    }

    /// A call that it was given has ended.
    func ended(_ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome) {
        running -= 1
        if outcome == .answered { link?.answered() }
        count(permission, outcome)
    }

    private func count(
        _ permission: CircuitBreaker.Permission, _ outcome: CircuitBreaker.Outcome
    ) {
        guard link != nil else { return }  // its address is gone, and nobody asks any more
        let wasClosed = isClosed
        guard let change = breaker.ended(permission, outcome, at: pool.time.uptime()) else {
            return
        }
        pool.reports.breaker(change, of: name)
        if wasClosed != isClosed { isClosed ? openBreakers.decrement() : openBreakers.increment() }
    }

    private var isClosed: Bool { if case .closed = breaker.state { true } else { false } }

    // MARK: Calls that wait for it

    /// A call waits for a connection.
    /// - Returns: whether it is the probe.
    func takeWaiting(at uptime: Duration) -> Bool {
        let permission = breaker.admit(at: uptime)
        link?.want(isProbe: permission == .probe)
        return permission == .probe
    }

    /// A call waited in vain, or gave up waiting; `isProbe` as `takeWaiting` said.
    func awaitedInVain(isProbe: Bool) {
        let isAtFault = !isConnected && link?.isFailing ?? false
        count(isProbe ? .probe : .pass, isAtFault ? .failed : .abandoned)
    }

    /// The call that was the probe goes elsewhere or is asked again.
    func giveBackProbe() { count(.probe, .abandoned) }

    // MARK: Its connection

    /// Connects, unless it rests.
    func want() { link?.want() }

    /// Takes no more calls; its address is gone, or nobody has called for long.
    func retire() { end { $0.retire() } }

    /// Closes; used when the program stops.
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

    /// Watches, if there is a choice to be made and a connection to watch.
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

    private func healthChanged(_ state: ServingState) {
        guard state != health else { return }
        let isFirst = health == .unknown
        health = state
        if !isFirst || state == .notServing {
            pool.reports.health(isServing: state == .serving, of: name)
        }
    }
}

extension SocketAddress {
    /// `127.0.0.1:7402`, `[::1]:7402`.
    fileprivate var hostAndPort: String {
        guard let ipAddress, let port else { return description }
        return ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }
}
