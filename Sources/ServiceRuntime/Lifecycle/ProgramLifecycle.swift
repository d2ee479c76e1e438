import Glibc
package import Logging
package import ServiceLifecycle
import UnixSignals

/// Runs a program from its start to its end.
///
/// All services start together; calls come only once `Readiness` says so. SIGTERM, SIGINT, the
/// lifeline's end or a service's failure stop them: first readiness drains, so that health sends
/// callers elsewhere, then the services end one after another, the last of the list first, each
/// after finishing what it had taken. So a list reads from the bottom of the program to its door:
/// store, workers, server.
package struct ProgramLifecycle: Sendable {
    /// All that a stop may take; beyond it the kernel ends the program
    /// (Sources/SECURITY.md, Crash).
    package static let stopWithin: Duration = .seconds(10)
    /// What the services may take of that before they are cancelled.
    package static let drainWithin: Duration = .seconds(8)

    private let readiness: Readiness
    private let lifeline: Lifeline?
    private let logger: Logger
    private let isKilledLate: Bool

    /// The lifecycle of a program.
    /// - Parameter isKilledLate: Whether the whole process is ended when a stop takes longer than
    ///   `stopWithin`. False only where the process is not the program's own: in tests.
    package init(
        readiness: Readiness, lifeline: Lifeline?, logger: Logger, isKilledLate: Bool
    ) {
        self.readiness = readiness
        self.lifeline = lifeline
        self.logger = logger
        self.isKilledLate = isKilledLate
    }

    /// Runs until everything has ended.
    /// - Returns: The program's exit code: 0 after a stop that was asked for, 1 after a failure,
    ///   which is in the log.
    package func run(_ services: [any Service]) async -> Int32 {
        // A peer that closes while we write must be an error of that write, not our end.
        signal(SIGPIPE, SIG_IGN)
        // So must a file that may not grow (`ulimit -f`, systemd's LimitFSIZE): the store refuses
        // writes then, as on a full disk, and serves reads.
        signal(SIGXFSZ, SIG_IGN)
        do {
            try await ServiceGroup(configuration: configuration(services)).run()
            logger.info("process.stopped", "stopped", fields: [:])
            return 0
        } catch {
            logger.error("process.failed", "stopped by a failure", fields: [.detail: .error(error)])
            return 1
        }
    }

    private func configuration(_ services: [any Service]) -> ServiceGroupConfiguration {
        let drain = Drain(readiness: readiness, logger: logger, isKilledLate: isKilledLate)
        var configurations = (services + [drain]).map { service in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service, failureTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: String(describing: type(of: service)))
        }
        if let lifeline {
            // Last, because it must be the first to end: service-lifecycle cancels everything when
            // a service ends by itself during a stop, and a parent that dies in the middle of one
            // would cut the drain short.
            configurations.append(
                .init(service: lifeline, successTerminationBehavior: .gracefullyShutdownGroup))
        }
        var group = ServiceGroupConfiguration(services: configurations, logger: logger)
        group.gracefulShutdownSignals = [.sigterm, .sigint]
        group.maximumGracefulShutdownDuration = Self.drainWithin
        group.logging.keys = Self.keys
        return group
    }

    private static var keys: ServiceGroupConfiguration.LoggingConfiguration.Keys {
        var keys = ServiceGroupConfiguration.LoggingConfiguration.Keys()
        keys.signalKey = LogField.signal.rawValue
        keys.gracefulShutdownSignalsKey = LogField.signal.rawValue
        keys.cancellationSignalsKey = LogField.reason.rawValue
        keys.serviceKey = LogField.part.rawValue
        keys.servicesKey = LogField.part.rawValue
        keys.errorKey = LogField.detail.rawValue
        return keys
    }
}

/// The first to hear of a stop: tells readiness, and sets the kernel's alarm.
private struct Drain: Service {
    let readiness: Readiness
    let logger: Logger
    let isKilledLate: Bool

    func run() async throws {
        // It throws when the group is cancelled instead, which is a stop too.
        try? await gracefulShutdown()
        readiness.drain()
        logger.info("process.draining", "draining", fields: [:])
        // An alarm, because a timer of our own needs a thread that still runs: the default action
        // of SIGALRM is to end the process.
        if isKilledLate { alarm(UInt32(ProgramLifecycle.stopWithin.components.seconds)) }
    }
}
