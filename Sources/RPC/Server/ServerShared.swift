import CoreMetrics
import Logging
import NIOCore
import ServiceRuntime
import Synchronization

/// The state that all connections of a server share.
final class ServerShared: Sendable {
    let settings: ServerSettings
    let methods: MethodTable
    let callers: CurrentCallers
    let tls: Reloadable<ServerTLS>?
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    /// The limits of running and waiting handlers.
    let admission: LaneLimiter.ByLane
    /// The count of connections that were refused.
    let refusedConnections = RefusedConnections()
    let observation: ServerObservation
    /// Whether the server accepts no more calls.
    let isDraining = Atomic<Bool>(false)
    /// The open connections, and the limits on new ones.
    let connections: Mutex<ConnectionLimiter<ObjectIdentifier, any Channel>>

    init(
        settings: ServerSettings, methods: MethodTable, applications: Applications,
        tls: ServerTLS? = nil, time: any Time, randomness: any Randomness, logger: Logger,
        observation: ServerObservation = ServerObservation()
    ) {
        self.settings = settings
        self.methods = methods
        callers = CurrentCallers(applications, methods: methods)
        self.tls = tls.map { Reloadable($0) }
        self.time = time
        self.randomness = randomness
        self.logger = logger
        admission = LaneLimiter.ByLane(settings.limits, time: time)
        connections = Mutex(ConnectionLimiter(settings.limits))
        self.observation = observation
        observation.begin(methods: methods.names) { [weak self] in
            self?.connections.withLock { $0.count } ?? 0
        }
    }

    /// The metric `rpc_server_connections_refused_total`.
    struct RefusedConnections: Sendable {
        private let counters: [CrowdReason: Counter]

        init() {
            counters = Dictionary(
                uniqueKeysWithValues: CrowdReason.allCases.map { reason in
                    (
                        reason,
                        Counter(
                            label: "rpc_server_connections_refused_total",
                            dimensions: [("reason", reason.rawValue)])
                    )
                })
        }

        func count(_ reason: CrowdReason) { counters[reason]?.increment() }
    }
}
