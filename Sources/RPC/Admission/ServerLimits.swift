/// How much a server takes on at once. Above each bound a caller is told to come back later, which
/// costs next to nothing, instead of being served late, which costs everybody.
package struct ServerLimits: Sendable, Hashable {
    /// Handlers of ordinary methods running at once: some 10 KiB each with what they hold.
    package var runningMax = 2_000
    /// Handlers of costly methods running at once: what they wait for is scarcer than memory.
    package var costlyRunningMax = 256
    /// Watchers at once; each costs 3.5 KiB, or 5 as a follower of ends (`docker/bench.sh crowds`).
    package var watchingMax = 20_000
    /// Handlers of the admin lane running at once: a few operators and probes.
    package var adminRunningMax = 64
    /// Calls that wait in each lane for a handler to end.
    package var queueMax = 1_000
    /// Bytes of requests that wait in each lane, since a single request may be of 1 MiB.
    package var queueBytesMax = 8 * 1024 * 1024
    /// Connections at once, some 16 KiB each without TLS and 64 KiB with it.
    package var connectionsMax = 10_000
    /// Connections at once from one address, or from one /64 of IPv6. A caller opens one for each
    /// of its event loops, so this is for hundreds of processes behind one address.
    package var connectionsPerAddressMax = 1_000
    /// The same for loopback addresses, which all programs of one machine share.
    package var connectionsPerLoopbackMax = Int.max
    /// Connections that have not said Hello yet; above it the oldest of them goes.
    package var ungreetedMax = 512
    /// Age at which a connection is drained, so that callers spread again over all instances and
    /// prove again who they are; nil: never. Each gets up to a tenth more or less.
    package var connectionAgeMax: Duration?
    /// Time without a call after which a connection is drained; nil: never.
    package var connectionIdleMax: Duration?
    /// The applications whose calls take the admin lane.
    package var adminApplications: Set<String> = ["tool"]

    /// The defaults, which suit one service on one machine.
    package init() {}

    /// Handlers of `lane` running at once.
    func runningMax(of lane: MethodLane) -> Int {
        switch lane {
        case .ordinary: runningMax
        case .costly: min(costlyRunningMax, runningMax)
        case .watching: watchingMax
        case .admin: adminRunningMax
        }
    }

    /// Calls of `lane` that wait at once. Watchers do not end, so nobody waits for that.
    func queueMax(of lane: MethodLane) -> Int {
        lane == .watching ? 0 : queueMax
    }
}
