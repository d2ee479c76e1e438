import Glibc
import NIOCore
import ServiceRuntime

/// The addresses to which a pool keeps connections: those that its targets resolve to, from the
/// first call until the client is idle.
extension ClientPool {
    /// Number of addresses of one service that are used; each costs a connection and two heartbeats
    /// a second.
    static let endpointsMax = 64

    // MARK: Active and idle

    /// The first call after an idle time: keeps connections from now on.
    func warmUp() {
        armSweep()
        for index in targets.indices { lookUp(index) }
    }

    private func armSweep() {
        let pool = NIOLoopBound(self, eventLoop: loop)
        sweep = loop.scheduleTask(in: TimeAmount(settings.idleTimeout)) {
            pool.value.sweepIdle()
        }
    }

    /// Closes all connections when there was no call since the last sweep.
    private func sweepIdle() {
        guard !isUsed, waiting.isEmpty, endpoints.allSatisfy({ $0.running == 0 }) else {
            isUsed = false
            return armSweep()
        }
        sweep = nil
        for index in targets.indices { targets[index].forget() }
        meetTargets()
    }

    // MARK: Names and addresses

    /// Resolves a target's name, unless a lookup is running or has just finished.
    func lookUp(_ index: Int) {
        guard isWarm, targets[index].startsLookUp(at: time.uptime()) else { return }
        let pool = NIOLoopBound(self, eventLoop: loop)
        resolver.addresses(of: targets[index].address, on: loop).whenComplete {
            pool.value.lookedUp(index, $0)
        }
    }

    private func lookedUp(_ index: Int, _ result: Result<[SocketAddress], any Error>) {
        let wait: Duration?
        switch result {
        case .success(let addresses):
            wait = targets[index].answered(addresses, jitter: randomness.integer())
        case .failure(let error):
            reports.unresolved(targets[index].address, error)
            // The addresses known so far stay.
            wait = targets[index].answered([], error: error, jitter: randomness.integer())
        }
        guard isWarm else { return targets[index].forget() }
        if let wait {
            let pool = NIOLoopBound(self, eventLoop: loop)
            loop.scheduleTask(in: TimeAmount(wait)) { pool.value.lookUp(index) }
        }
        meetTargets()
    }

    /// Makes one endpoint for each address that the targets resolve to, and removes the others.
    private func meetTargets() {
        let wanted = targets.flatMap { target in target.resolved.map { (target.address, $0) } }
            .prefix(Self.endpointsMax)
        let isGone: (ClientEndpoint) -> Bool = { endpoint in
            !wanted.contains { $0.1 == endpoint.address }
        }
        for endpoint in endpoints where isGone(endpoint) { endpoint.retire() }
        endpoints.removeAll(where: isGone)
        for (target, address) in wanted
        where !endpoints.contains(where: { $0.address == address }) {
            let endpoint = ClientEndpoint(target, at: address, self)
            endpoints.append(endpoint)
            endpoint.want()
        }
        for endpoint in endpoints { endpoint.watchHealth() }
    }
}

/// Why a connection could not be made or was lost, as text for the operator's log.
enum ConnectionFailure {
    /// Characters of one reason. It contains text from a server, which may be hostile.
    static let charactersMax = 200
    /// Number of addresses whose reasons an error lists; the others usually have the same.
    static let addressesMax = 4

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError where error.errnoCode == ECONNREFUSED: "refused"
        case let error as IOError where error.errnoCode == ETIMEDOUT: "timed out"
        case ChannelError.connectTimeout: "timed out"
        default: TLSFailure.text(error).map { "TLS refused: \($0)" } ?? "\(error)"
        }
    }

    /// The service name with the reason for each of its addresses.
    static func detail(_ service: String, _ failures: [(address: String, text: String)]) -> String {
        guard !failures.isEmpty else { return "no address of \(service) is known" }
        let shown = failures.prefix(addressesMax).map {
            "\($0.address): \($0.text.prefix(charactersMax))"
        }
        let rest = failures.count - shown.count
        let more = rest > 0 ? ["\(rest) more"] : []
        return "no address of \(service) can be reached (\((shown + more).joined(separator: "; ")))"
    }
}
