package import RPC
import ServiceLifecycle
package import ServiceRuntime

/// What makes one of the five programs: its names, its settings and how it is put together. What
/// they share (settings, logs, metrics, keys, the server, starting and stopping) is here.
package protocol Program {
    /// The settings that only this program has.
    associatedtype OwnSettings: Settings

    /// Its names and ports.
    static var description: ProgramDescription { get }

    /// Puts the service together.
    /// - Throws: anything; the program then stops with the error in its log.
    static func assemble(_ host: ServiceHost, _ settings: OwnSettings) async throws -> Assembly
}

/// A program's names and ports.
package struct ProgramDescription: Sendable {
    /// The executable, for instance `postern-session`.
    package let program: String
    /// The service that it offers, for instance `postern.session`.
    package let service: String
    /// The application that it is towards other services, for instance `session`.
    package let application: String
    /// One line for `--help`.
    package let summary: String
    /// Its port unless set; metrics and health are ten above.
    package let port: Int
    /// The applications that may call it unless set.
    package let callers: [String]
    /// Those of them that may assert their users' addresses unless set.
    package let addressAsserters: [String]
    /// What some of them may call and no more, unless a list of callers is set.
    package let callersMethods: [String: [MethodPattern]]

    /// A description.
    package init(
        program: String, service: String, application: String, summary: String, port: Int,
        callers: [String], addressAsserters: [String] = [],
        callersMethods: [String: [MethodPattern]] = [:]
    ) {
        self.program = program
        self.service = service
        self.application = application
        self.summary = summary
        self.port = port
        self.callers = callers
        self.addressAsserters = addressAsserters
        self.callersMethods = callersMethods
    }
}

extension ProgramDescription {
    /// The applications that our own programs and the operator's tool are: each proves itself by a
    /// private key that no server has.
    package static let ourApplications: Set<String> = [
        "gateway", "identity", "session", "rate-limit", "notification", "tool",
    ]

    /// Notification alone talks to the world; should it be taken over, it must not reach accounts
    /// and sessions. So the services that it calls let it read their events and nothing else.
    package static let notificationReadsEvents: [String: [MethodPattern]] = [
        "notification": [MethodPattern("postern.events.v1.Events/*")].compactMap(\.self)
    ]

    /// The same at identity, which it also tells that a number has changed hands: the worst
    /// that comes of a lie is that an owner is asked for a second proof.
    package static let notificationReadsEventsAndTellsOfNumbers: [String: [MethodPattern]] = [
        "notification": [
            MethodPattern("postern.events.v1.Events/*"),
            MethodPattern("postern.identity.v1.PhoneSignals/*"),
        ].compactMap(\.self)
    ]
}

/// A service put together: what it serves, what works behind it, and how it is closed.
package struct Assembly: Sendable {
    /// The rpc services.
    package let services: [ServiceMethods]
    /// What runs beside the server until the program stops.
    package let workers: [Worker]
    /// Runs when everything else has stopped.
    package let close: @Sendable () async -> Void

    /// An assembly.
    package init(
        services: [ServiceMethods], workers: [Worker] = [],
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.services = services
        self.workers = workers
        self.close = close
    }
}

/// Something that runs beside the server; cancelled when the program stops.
package struct Worker: Sendable {
    private let work: @Sendable () async throws -> Void

    /// A worker that runs `work`.
    package init(_ work: @escaping @Sendable () async throws -> Void) {
        self.work = work
    }

    /// Runs until the program stops.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            do {
                try await work()
            } catch is CancellationError {
                // The stop that it was asked for.
            }
        }
    }
}
