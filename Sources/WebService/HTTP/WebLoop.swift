import NIOCore
import RPC
import ServiceRuntime

/// What the connections of one event loop share. It is used only on that loop.
final class WebLoop {
    let executor: EventLoopTaskExecutor
    let figures: WebObservation.LoopFigures
    private let shared: WebShared
    private let loop: any EventLoop
    /// Requests that may run at once on this loop, or wait until their response is taken.
    private let requestsMax: Int
    private var requestsRunning = 0
    /// The same from one address.
    private let requestsPerAddressMax: Int
    private var requestsByAddress: [PeerAddress: Int] = [:]
    /// Requests that are calls with streams.
    let streams: StreamSlots
    private var connections: [ObjectIdentifier: WebConnection] = [:]
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
        requestsMax = max(1, shared.limits.requestsMax / max(1, loopCount))
        requestsPerAddressMax = max(1, shared.limits.requestsPerAddressMax / max(1, loopCount))
        streams = StreamSlots(requestsMax: requestsMax, perAddressMax: requestsPerAddressMax)
    }

    /// Whether no more requests from `address` may start; nil is exempt from the limit by address.
    func isFull(for address: PeerAddress?) -> Bool {
        guard requestsRunning < requestsMax else { return true }
        return address.map { requestsByAddress[$0, default: 0] >= requestsPerAddressMax } ?? false
    }

    func requestBegan(from address: PeerAddress?) {
        requestsRunning += 1
        if let address { requestsByAddress[address, default: 0] += 1 }
        figures.begun.add()
    }

    func requestEnded(from address: PeerAddress?, took duration: Duration) {
        requestsRunning -= 1
        if let address {
            let rest = requestsByAddress[address, default: 0] - 1
            requestsByAddress[address] = rest > 0 ? rest : nil
        }
        figures.took(duration)
    }

    // MARK: Connections

    /// The port of the listener, which the system may have chosen.
    func listens(on port: Int) {
        guard self.port != port else { return }
        self.port = port
        hosts = AllowedHosts(origins: shared.settings.origins, port: port)
    }

    /// A connection was accepted.
    func add(_ connection: WebConnection) {
        connections[ObjectIdentifier(connection)] = connection
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
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        figures.closed.add()
        guard connections.isEmpty else { return }
        checks?.cancel()
        checks = nil
    }

    private func check() {
        date = shared.time.now().internetDate(zone: "GMT")
        let now = shared.time.uptime()
        for connection in Array(connections.values) { connection.check(at: now) }
    }

    /// Drains all connections; the futures complete when they are closed.
    func drain() -> [EventLoopFuture<Void>] {
        let futures = connections.values.compactMap(\.closeFuture)
        for connection in Array(connections.values) { connection.drain() }
        return futures
    }
}
