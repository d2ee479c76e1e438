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
    /// Handlers that have not returned, in the whole server.
    let running = Atomic<Int>(0)
    /// The server takes no more calls.
    let isDraining = Atomic<Bool>(false)
    /// Open connections.
    let connections = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(
        settings: ServerSettings, methods: MethodTable, applications: Applications,
        tls: ServerTLS? = nil, time: any Time, randomness: any Randomness, logger: Logger
    ) {
        self.settings = settings
        self.methods = methods
        callers = CallersInForce(applications, methodNames: methods.names)
        self.tls = tls.map { Live($0) }
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// Counts a handler that is about to run.
    /// - Returns: false, with nothing counted, when the server runs as many as it may.
    func acquireRunning() -> Bool {
        let (before, _) = running.add(1, ordering: .relaxed)
        if before < settings.runningMax { return true }
        running.subtract(1, ordering: .relaxed)
        return false
    }

    /// A handler has returned.
    func releaseRunning() {
        running.subtract(1, ordering: .relaxed)
    }
}
