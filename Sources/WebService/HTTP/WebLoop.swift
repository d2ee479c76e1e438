import NIOCore
import RPC
import ServiceRuntime

/// What the connections of one event loop share. It is used only on that loop.
final class WebLoop {
    let executor: EventLoopTaskExecutor
    let figures: WebObservation.LoopFigures
    private let shared: WebShared
    private let loop: any EventLoop
    /// The requests that run, or wait until their response is taken.
    private var requests: ClientPlaces<RunningExchange>
    /// The open connections. One waits while it has no request that runs.
    private var connections: ClientPlaces<WebConnection>
    /// Of them, those without a first request, which all wait.
    private var unused: ClientPlaces<WebConnection>
    /// Requests that are calls with streams.
    let streams: StreamPlaces
    private var open: [ObjectIdentifier: WebConnection] = [:]
    private var checks: RepeatedTask?
    /// The hosts that requests may be for.
    private(set) var hosts = AllowedHosts(origins: [], port: 0)
    private var port: Int?
    /// The `date` of responses; made at each check, so that it is late by `checkInterval` at most.
    private(set) var date = ""

    init(_ loop: any EventLoop, _ shared: WebShared, loopCount: Int) {
        self.loop = loop
        self.shared = shared
        executor = EventLoopTaskExecutor(loop)
        figures = shared.observation.addLoop()
        let (limits, part) = (shared.limits, shared.limits.requests.share(1, of: loopCount))
        requests = ClientPlaces(part)
        connections = ClientPlaces(limits.connections.share(1, of: loopCount))
        unused = ClientPlaces(
            PlaceBounds(total: limits.connectionsUnusedMax).share(1, of: loopCount))
        streams = StreamPlaces(of: part)
    }

    // MARK: Requests

    /// A request takes a place, perhaps that of one that waits for its client, which ends.
    /// - Returns: nil if there is none.
    func arrive(
        _ exchange: RunningExchange, from client: ClientNetwork?
    ) -> ClientPlaces<RunningExchange>.ID? {
        guard case .admitted(let place, let ending) = requests.arrive(exchange, from: client)
        else { return nil }
        figures.begun.add()
        ending?.endForAnother()
        return place
    }

    /// The request waits for its client, or works.
    func request(_ place: ClientPlaces<RunningExchange>.ID, waitsSince since: Duration?) {
        if let since { requests.waits(place, since: since) } else { requests.works(place) }
    }

    /// The request holds its place no more.
    func requestLeft(_ place: ClientPlaces<RunningExchange>.ID) { requests.leave(place) }

    // MARK: Connections

    /// The port of the listener, which the system may have chosen.
    func listens(on port: Int) {
        guard self.port != port else { return }
        self.port = port
        hosts = AllowedHosts(origins: shared.settings.origins, port: port)
    }

    /// What a connection holds.
    struct ConnectionPlace {
        fileprivate let place: ClientPlaces<WebConnection>.ID
        fileprivate var unused: ClientPlaces<WebConnection>.ID?
    }

    /// A new connection takes a place, perhaps that of one without a request, which is closed.
    /// - Returns: nil if there is none.
    func arrive(
        _ connection: WebConnection, from client: ClientNetwork?, at now: Duration
    ) -> ConnectionPlace? {
        switch connections.arrive(connection, from: client) {
        case .refused(let full):
            figures.refused(full == .total ? .connectionsTotal : .connectionsFromAddress)
            return nil
        case .admitted(let place, let ending):
            connections.waits(place, since: now)
            if let ending { close(ending, .connectionsIdle) }
            guard case .admitted(let newest, let oldest) = unused.arrive(connection, from: client)
            else { return ConnectionPlace(place: place) }
            unused.waits(newest, since: now)
            if let oldest { close(oldest, .connectionsUnused) }
            return ConnectionPlace(place: place, unused: newest)
        }
    }

    private func close(_ connection: WebConnection, _ reason: WebRefusal) {
        figures.refused(reason)
        connection.close()
    }

    /// The connection has its first request.
    func connectionUsed(_ place: inout ConnectionPlace) {
        if let id = place.unused.take() { unused.leave(id) }
    }

    /// The connection is idle, or a request of it runs.
    func connection(_ place: ConnectionPlace, idleSince since: Duration?) {
        if let since {
            connections.waits(place.place, since: since)
        } else {
            connections.works(place.place)
        }
    }

    /// The connection holds its place no more.
    func connectionLeft(_ place: ConnectionPlace) {
        if let id = place.unused { unused.leave(id) }
        connections.leave(place.place)
    }

    /// A connection was accepted.
    func add(_ connection: WebConnection) {
        open[ObjectIdentifier(connection)] = connection
        figures.opened.add()
        guard checks == nil else { return }
        date = shared.time.now().internetDate(zone: "GMT")
        let bound = NIOLoopBound(self, eventLoop: loop)
        let interval = TimeAmount(shared.limits.checkInterval)
        checks = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.check()
        }
    }

    /// A connection is closed.
    func remove(_ connection: WebConnection) {
        guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        figures.closed.add()
        guard open.isEmpty else { return }
        checks?.cancel()
        checks = nil
    }

    private func check() {
        date = shared.time.now().internetDate(zone: "GMT")
        let now = shared.time.uptime()
        for connection in Array(open.values) { connection.check(at: now) }
    }

    /// Drains all connections; the futures complete when they are closed.
    func drain() -> [EventLoopFuture<Void>] {
        let futures = open.values.compactMap(\.closeFuture)
        for connection in Array(open.values) { connection.drain() }
        return futures
    }
}
