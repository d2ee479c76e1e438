import Contracts
package import RPC
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// One of the six programs: its names, its settings and how its service is assembled. This module
/// has what they share: settings, logs, metrics, keys, the server, start and stop.
package protocol Program {
    /// The settings that only this program has.
    associatedtype OwnSettings: Settings

    /// The program's names and ports.
    static var description: ProgramDescription { get }

    /// Assembles the service.
    /// - Throws: Any error. The program logs it and stops.
    static func assemble(_ host: ServiceHost, _ settings: OwnSettings) async throws -> Assembly
}

/// A program's names and ports.
package struct ProgramDescription: Sendable {
    /// The executable, for example `postern-session`.
    package let program: String
    /// The service that it offers, for example `postern.session`.
    package let service: String
    /// The application name that it uses when it calls other services, for example `session`.
    package let application: String
    /// One line for `--help`.
    package let summary: String
    /// The default port. The default port for metrics and health is ten above.
    package let port: Int
    /// The applications that may call it by default.
    package let callers: [String]
    /// Those of them that may assert their users' addresses by default.
    package let addressAsserters: [String]
    /// Those of them that are web services, unless a list of callers is set. They call for anybody
    /// on the internet, so they may call the public methods only: an attacker who takes one over
    /// reaches nothing else. Their calls may carry tokens of backends. An installation need not run
    /// one, so its key may be missing.
    package let webServices: Set<String>
    /// Restricts some of them to these methods, unless a list of callers names others.
    package let callersMethods: [String: [MethodPattern]]
    /// Whether it has an `RPCServer`, with the settings of callers, store and admission control.
    package let hasRPCServer: Bool
    /// Whether it has a store, and with it master keys.
    package let hasStore: Bool
    /// The default of the setting `connections-per-address-max`.
    package let connectionsPerAddressMax: Int
    /// The default of the setting `store-connections`.
    package let storeConnections: Int

    /// A description.
    package init(
        program: String, service: String, application: String, summary: String, port: Int,
        callers: [String], addressAsserters: [String] = [],
        webServices: Set<String> = [], callersMethods: [String: [MethodPattern]] = [:],
        hasRPCServer: Bool = true, hasStore: Bool = true,
        connectionsPerAddressMax: Int = ServerLimits().connectionsPerAddressMax,
        storeConnections: Int = 10
    ) {
        self.program = program
        self.service = service
        self.application = application
        self.summary = summary
        self.port = port
        self.callers = callers
        self.addressAsserters = addressAsserters
        self.webServices = webServices
        self.callersMethods = webServices.reduce(into: callersMethods) { methods, name in
            methods[name] = [.publicMethods]
        }
        self.hasRPCServer = hasRPCServer
        self.hasStore = hasStore && hasRPCServer
        self.connectionsPerAddressMax = connectionsPerAddressMax
        self.storeConnections = storeConnections
    }
}

extension ProgramDescription {
    /// The applications of our own programs and of the operator's tool. Each authenticates with a
    /// private key that no server has.
    package static let ourApplications: Set<String> = [
        "gateway", "identity", "session", "rate-limit", "notification", "web", "tool",
    ]
}

/// An assembled service: its server, its workers, and how it is closed.
package struct Assembly: Sendable {
    /// What callers connect to.
    package let server: Server
    /// Tasks that run beside the server until the program stops.
    package let workers: [Worker]
    /// Files that are read again when they change, besides those of an `RPCServer` and of clients.
    package let watched: [CredentialWatch.Credential]
    /// Peers that must have answered once before the program is ready, by their parts' names.
    package let awaitedPeers: [String]
    /// The origins of the web service: the audiences of the application tokens that calls carry.
    package let tokenAudiences: Set<String>
    /// The languages in which errors address people formally.
    package let formalLanguages: FormalLanguages
    /// Called after everything else has stopped.
    package let close: @Sendable () async -> Void

    /// An assembly with an `RPCServer` of these services.
    package init(
        services: [ServiceMethods], workers: [Worker] = [], tokenAudiences: Set<String> = [],
        formalLanguages: FormalLanguages = .none, watched: [CredentialWatch.Credential] = [],
        close: @escaping @Sendable () async -> Void = {}
    ) {
        server = .rpc(services)
        self.workers = workers
        self.tokenAudiences = tokenAudiences
        self.formalLanguages = formalLanguages
        self.watched = watched
        awaitedPeers = []
        self.close = close
    }

    /// An assembly with a listener of another protocol.
    package init(
        listener: @escaping Server.Start, workers: [Worker] = [],
        watched: [CredentialWatch.Credential], awaitedPeers: [String]
    ) {
        server = .other(listener)
        self.workers = workers
        self.watched = watched
        self.awaitedPeers = awaitedPeers
        tokenAudiences = []
        formalLanguages = .none
        close = {}
    }

    /// An assembly of a service with a store. It also serves the store's event feed, its clock and,
    /// of a store in files, its backups; and the latest known time is stored.
    /// - Parameters:
    ///   - journals: the names of the journals in the store's folder.
    ///   - blobs: the blobs that the store's rows name. A backup copies those that are files.
    ///   - watched: files that are read again when they change, besides those of the server and
    ///     of clients.
    package init(
        methods: [ServiceMethods], tasks: [@Sendable () async throws -> Void], store: Store,
        journals: [String] = [], blobs: (any BlobStore)? = nil,
        watched: [CredentialWatch.Credential] = [], time: any Time,
        close: @escaping @Sendable () async -> Void = {}
    ) {
        // A server is backed up with its own tools.
        let backup =
            store.isOnServer
            ? []
            : [
                BackupDispatcher.methods(
                    of: StoreBackup(store, journals: journals, blobs: blobs as? BlobFolder))
            ]
        self.init(
            services: methods + [
                EventsDispatcher.methods(of: EventFeed(store: store, time: time)),
                ClockDispatcher.methods(of: StoreClock(store, time: time)),
            ] + backup,
            workers: (tasks + [{ try await ClockMarking(store: store, time: time).run() }])
                .map { Worker($0) },
            watched: watched,
            close: {
                await close()
                store.close()
            })
    }
}

extension Assembly {
    /// What callers connect to.
    package enum Server: Sendable {
        /// An `RPCServer` of these services, and of health and reflection.
        case rpc([ServiceMethods])
        /// A listener of another protocol.
        case other(Start)

        /// Starts a listener. It gets the limits, adapted to the system's limit on open files, and
        /// the program's readiness, as `/readyz` of the metrics port reports it.
        package typealias Start =
            @Sendable (
                _ limits: ServerLimits, _ readiness: @escaping MetricsEndpoint.Readiness
            ) async throws -> Running
    }

    /// A server that listens.
    package struct Running: Sendable {
        /// Its port.
        package let port: Int
        /// Finishes what it has accepted, then closes.
        package let drain: @Sendable () async -> Void

        /// A server that listens.
        package init(port: Int, drain: @escaping @Sendable () async -> Void) {
            self.port = port
            self.drain = drain
        }
    }
}

/// A task that runs beside the server. Cancelled when the program stops.
package struct Worker: Service {
    private let work: @Sendable () async throws -> Void

    /// A worker that runs `work`.
    package init(_ work: @escaping @Sendable () async throws -> Void) {
        self.work = work
    }

    /// Runs until the program stops.
    /// - Throws: What the work throws, except `CancellationError`.
    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            do {
                try await work()
            } catch is CancellationError {
                // The expected cancellation.
            }
        }
    }
}

/// Why a program cannot start. The description tells the operator what to do.
struct StartError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
