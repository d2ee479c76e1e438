import NIOCore
import ServiceRuntime

/// All that a client has on one event loop: its service's addresses with a connection to each, the
/// calls that wait for one, and the budget of retries.
///
/// The budget is each loop's own, like the breakers: a shared one would be a line of memory that
/// all loops write at every call, and the bound that matters, a tenth more load than the callers
/// made, holds for a sum of budgets as it holds for each.
final class ClientPool {
    let settings: ClientSettings
    let loop: any EventLoop
    let time: any Time
    let randomness: any Randomness
    let reports: ClientReports
    let resolver: any HostResolver
    var budget = RetryBudget()
    var targets: [ClientTarget]
    var endpoints: [ClientEndpoint] = []
    private var balancer = Balancer()
    var waiting = WaitingCalls()
    /// Calls between two tries: a loop that ends runs no timers, and they would wait for ever.
    private var resting: [ObjectIdentifier: CallTries] = [:]
    private var look: Scheduled<Void>?
    private var lookDue: Duration?
    var sweep: Scheduled<Void>?
    var isUsed = false
    private var isClosed = false

    init(
        _ settings: ClientSettings, _ loop: any EventLoop, time: any Time,
        randomness: any Randomness, reports: ClientReports, resolver: any HostResolver
    ) {
        self.settings = settings
        self.loop = loop
        self.time = time
        self.randomness = randomness
        self.reports = reports
        self.resolver = resolver
        targets = settings.addresses.map { ClientTarget($0) }
    }

    /// Whether it keeps connections: from the first call until none was made for long.
    var isWarm: Bool { sweep != nil }
    /// Whether there is a choice to be made, so that health matters.
    var isWatching: Bool { endpoints.count > 1 }

    // MARK: Calls

    /// Sends a call to an address that serves, another than `avoided` if possible.
    func start(_ call: PendingCall, avoiding avoided: ClientEndpoint? = nil) {
        guard !isClosed else { return call.fail(Self.closed) }
        isUsed = true
        if !isWarm { warmUp() }
        let place = avoided.flatMap { avoided in endpoints.firstIndex { $0 === avoided } }
        let choice = balancer.choose(among: endpoints.count, avoiding: place) {
            endpoints[$0].condition(at: time.uptime())
        }
        switch choice {
        case .endpoint(let index): endpoints[index].start(call)
        case .wait: wait(call)
        case .barred(let until): call.fail(barred(until))
        }
    }

    /// Gives a call up.
    func cancel(_ call: PendingCall) {
        // Not a present connection's, perhaps: a draining one finishes what it has.
        if let (connection, number) = call.carrier { connection.cancel(number) }
        waiting.take(call)?.probed.forEach { $0.giveBackProbe() }
        call.fail(ServiceError(.cancelled))
    }

    /// Whether another address than `endpoint` serves.
    func hasOther(than endpoint: ClientEndpoint) -> Bool {
        guard isWatching, let place = endpoints.firstIndex(where: { $0 === endpoint }) else {
            return false
        }
        let uptime = time.uptime()
        return balancer.other(among: endpoints.count, than: place) {
            endpoints[$0].condition(at: uptime)
        } != nil
    }

    /// Closes all; used when the program stops.
    func close() {
        isClosed = true
        sweep?.cancel()
        sweep = nil
        look?.cancel()
        for endpoint in endpoints { endpoint.close() }
        endpoints = []
        for entry in waiting.takeAll() { entry.call.fail(Self.closed) }
        for tries in resting.values { tries.giveUp(Self.closed) }
    }

    /// A call waits before it is sent again.
    func rests(_ tries: CallTries) {
        guard !isClosed else { return tries.giveUp(Self.closed) }
        resting[ObjectIdentifier(tries)] = tries
    }

    /// It waits no longer.
    func restsNoMore(_ tries: CallTries) { resting[ObjectIdentifier(tries)] = nil }

    // MARK: Calls that wait for a connection

    private func wait(_ call: PendingCall) {
        guard !waiting.isFull else {
            return call.fail(
                ServiceError(
                    .resourceExhausted, detail: "too many calls wait for \(settings.service)",
                    notProcessed: true))
        }
        let uptime = time.uptime()
        waiting.append(
            WaitingCalls.Entry(call: call, probed: endpoints.filter { $0.takeWaiting(at: uptime) }))
        armLook()
    }

    /// Wakes when the time of the first is over.
    private func armLook() {
        guard let due = waiting.nextDue else { return }
        if let lookDue, lookDue <= due { return }
        look?.cancel()
        lookDue = due
        let pool = NIOLoopBound(self, eventLoop: loop)
        let wait = max(WaitingCalls.lookFloor, due - time.uptime())
        look = loop.scheduleTask(in: TimeAmount(wait)) { pool.value.endOverdue() }
    }

    /// Ends the calls whose patience is over. Each address that could not be reached has failed
    /// them.
    private func endOverdue() {
        lookDue = nil
        let uptime = time.uptime()
        for entry in waiting.takeExpired(at: uptime) {
            for endpoint in endpoints {
                endpoint.awaitedInVain(isProbe: entry.probed.contains { $0 === endpoint })
            }
            entry.call.fail(
                entry.call.deadline <= uptime
                    ? ServiceError(
                        .deadlineExceeded, detail: unreached.detail, notProcessed: true)
                    : unreached)
        }
        armLook()
    }

    // MARK: What its addresses tell

    /// A connection stands: whoever waited goes on.
    func connected() {
        for entry in waiting.takeAll() where !entry.call.isOver {
            entry.probed.forEach { $0.giveBackProbe() }
            start(entry.call)
        }
    }

    /// A connection is lost or could not be made. `unauthenticated` is what another attempt will
    /// not mend; the calls that wait are told, if there is nothing else to wait for.
    func lost(_ endpoint: ClientEndpoint, _ error: ServiceError) {
        guard !isClosed else { return }
        for (index, target) in targets.enumerated()
        where target.resolved.contains(endpoint.address) {
            lookUp(index)
        }
        guard error.code == .unauthenticated, !endpoints.contains(where: \.isHopeful) else {
            return
        }
        for entry in waiting.takeAll() { entry.call.fail(error) }
    }

    // MARK: Errors of its own

    private static var closed: ServiceError {
        ServiceError(.unavailable, detail: "this client is closed")
    }

    /// No connection stands, and why.
    var unreached: ServiceError {
        ServiceError(
            .unavailable,
            detail: ConnectionTrouble.detail(settings.service, endpoints.map(\.trouble)),
            notProcessed: true)
    }

    private func barred(_ until: Duration) -> ServiceError {
        ServiceError(
            .unavailable, retryAfter: max(.milliseconds(1), until - time.uptime()),
            detail: "\(settings.service) fails; its breakers are open", notProcessed: true)
    }
}
