import NIOCore
import ServiceRuntime

/// The state of a client on one event loop: its service's addresses with a connection to each, the
/// calls that wait for one, and the retry budget.
///
/// The budget is per loop, like the breakers: a shared one would be a cache line that all loops
/// write in every call. The bound that matters, a tenth more load than the callers made, holds for
/// each budget and therefore for their sum.
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
    /// Calls in backoff between two tries. They are stored so that `close` can end them: a stopped
    /// loop runs no timers, and they would wait forever.
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

    /// Whether it keeps connections: from the first call until the client is idle.
    var isWarm: Bool { sweep != nil }
    /// Whether there are several addresses to choose from, so that health matters.
    var isWatching: Bool { endpoints.count > 1 }

    // MARK: Calls

    /// Sends a call to a serving address, if possible another than `avoided`.
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

    /// Cancels a call.
    func cancel(_ call: PendingCall) {
        // The connection may not be a current one: a draining connection finishes its calls.
        if let (connection, number) = call.carrier { connection.cancel(number) }
        waiting.remove(call)
        call.fail(ServiceError(.cancelled))
    }

    /// Whether an address other than `endpoint` serves.
    func hasOther(than endpoint: ClientEndpoint) -> Bool {
        guard isWatching, let place = endpoints.firstIndex(where: { $0 === endpoint }) else {
            return false
        }
        let uptime = time.uptime()
        return balancer.other(among: endpoints.count, than: place) {
            endpoints[$0].condition(at: uptime)
        } != nil
    }

    /// Closes everything, when the program stops.
    func close() {
        isClosed = true
        sweep?.cancel()
        sweep = nil
        look?.cancel()
        for endpoint in endpoints { endpoint.close() }
        endpoints = []
        for call in waiting.takeAll() { call.fail(Self.closed) }
        for tries in resting.values { tries.giveUp(Self.closed) }
    }

    /// A call is in backoff before its next try.
    func rests(_ tries: CallTries) {
        guard !isClosed else { return tries.giveUp(Self.closed) }
        resting[ObjectIdentifier(tries)] = tries
    }

    /// The backoff has ended.
    func restsNoMore(_ tries: CallTries) { resting[ObjectIdentifier(tries)] = nil }

    // MARK: Calls that wait for a connection

    private func wait(_ call: PendingCall) {
        guard !waiting.isFull else {
            return call.fail(
                ServiceError(
                    .resourceExhausted, detail: "too many calls wait for \(settings.service)",
                    notProcessed: true))
        }
        for endpoint in endpoints { endpoint.want() }
        waiting.append(call)
        armLook()
    }

    /// Sets a timer for the first due time of the waiting calls.
    private func armLook() {
        guard let due = waiting.nextDue else { return }
        if let lookDue, lookDue <= due { return }
        look?.cancel()
        lookDue = due
        let pool = NIOLoopBound(self, eventLoop: loop)
        let wait = max(WaitingCalls.lookFloor, due - time.uptime())
        look = loop.scheduleTask(in: TimeAmount(wait)) { pool.value.endOverdue() }
    }

    /// Ends the calls that have waited too long. For the breaker of each address that could not be
    /// reached this counts as a failure, unless only a caller's deadline ended the wait.
    ///
    /// Attack: calls with short deadlines while a server restarts, until its breaker opens and the
    /// calls of all others fail at once instead of waiting for it.
    private func endOverdue() {
        lookDue = nil
        let uptime = time.uptime()
        for call in waiting.takeExpired(at: uptime) {
            if call.connectDue <= uptime || !call.isCallersDeadline {
                for endpoint in endpoints { endpoint.awaitedInVain() }
            }
            call.fail(
                call.deadline <= uptime
                    ? ServiceError(
                        .deadlineExceeded, detail: unreached.detail, notProcessed: true)
                    : unreached)
        }
        armLook()
    }

    // MARK: Events of its addresses

    /// An address can be called, whose connection is ready: starts the waiting calls.
    func connected() {
        for call in waiting.takeAll() where !call.isOver { start(call) }
    }

    /// A connection was lost or could not be made. Retrying does not help against
    /// `unauthenticated`, so the waiting calls fail with it unless another address may still
    /// connect.
    func lost(_ endpoint: ClientEndpoint, _ error: ServiceError) {
        guard !isClosed else { return }
        for (index, target) in targets.enumerated()
        where target.resolved.contains(endpoint.address) {
            lookUp(index)
        }
        guard error.code == .unauthenticated, !endpoints.contains(where: \.isHopeful) else {
            return
        }
        for call in waiting.takeAll() { call.fail(error) }
    }

    // MARK: Errors

    private static var closed: ServiceError {
        ServiceError(.unavailable, detail: "this client is closed")
    }

    /// There is no connection; the error gives the reason for each address.
    var unreached: ServiceError {
        ServiceError(
            .unavailable,
            detail: ConnectionFailure.detail(
                settings.service, endpoints.map(\.failure) + targets.compactMap(\.unresolved)),
            notProcessed: true)
    }

    private func barred(_ until: Duration) -> ServiceError {
        ServiceError(
            .unavailable, retryAfter: max(.milliseconds(1), until - time.uptime()),
            detail: "\(settings.service) fails; its breakers are open", notProcessed: true)
    }
}

extension ClientPool {
    /// Calls that wait for a connection, first come, first served.
    struct WaitingCalls {
        /// Calls that may wait on one event loop: some seconds' worth of calls, a few MiB with
        /// their requests.
        static let countMax = 10_000
        /// Shortest time between two scans for overdue calls, since a scan visits every call. No
        /// call outlives its deadline by much more than this.
        static let lookFloor = Duration.milliseconds(1)

        private var calls: [PendingCall] = []
        /// A time not later than the first due time; nil when none waits.
        private(set) var nextDue: Duration?

        var isEmpty: Bool { calls.isEmpty }
        var isFull: Bool { calls.count >= Self.countMax }

        /// When the connect timeout or the deadline of a call passes, whichever is first.
        private static func due(_ call: PendingCall) -> Duration {
            min(call.connectDue, call.deadline)
        }

        mutating func append(_ call: PendingCall) {
            calls.append(call)
            let due = Self.due(call)
            nextDue = nextDue.map { min($0, due) } ?? due
        }

        /// Removes and returns all calls.
        mutating func takeAll() -> [PendingCall] {
            defer {
                calls = []
                nextDue = nil
            }
            return calls
        }

        /// Removes one call, if it waits.
        mutating func remove(_ call: PendingCall) {
            calls.firstIndex { $0 === call }.map { _ = calls.remove(at: $0) }
        }

        /// Removes and returns the calls that are due.
        mutating func takeExpired(at uptime: Duration) -> [PendingCall] {
            let expired = calls.filter { Self.due($0) <= uptime }
            if !expired.isEmpty { calls.removeAll { Self.due($0) <= uptime } }
            nextDue = calls.lazy.map(Self.due).min()
            return expired
        }
    }
}
