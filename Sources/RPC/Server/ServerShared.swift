import Logging
import NIOCore
import ServiceRuntime
import Synchronization

/// What all connections of a server share.
final class ServerShared: Sendable {
    let settings: ServerSettings
    let methods: MethodTable
    let callers: CallersInForce
    let tls: Live<ServerTLS>?
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    /// Lets so many handlers run at once, and some wait.
    let admission: Admission
    /// What operators see of the connections.
    let connectionMetrics = ConnectionMetrics()
    let observation: ServerObservation
    /// The server takes no more calls.
    let isDraining = Atomic<Bool>(false)
    /// Open connections, and whether there is room for more.
    let connections: Mutex<ConnectionLimiter<ObjectIdentifier, any Channel>>

    init(
        settings: ServerSettings, methods: MethodTable, applications: Applications,
        tls: ServerTLS? = nil, time: any Time, randomness: any Randomness, logger: Logger,
        observation: ServerObservation = ServerObservation()
    ) {
        self.settings = settings
        self.methods = methods
        callers = CallersInForce(applications, methods: methods)
        self.tls = tls.map { Live($0) }
        self.time = time
        self.randomness = randomness
        self.logger = logger
        admission = Admission(settings.limits, time: time)
        connections = Mutex(ConnectionLimiter(settings.limits))
        self.observation = observation
        observation.begin(methods: methods.names) { [weak self] in
            self?.connections.withLock { $0.count } ?? 0
        }
    }
}
