import Dispatch
import Glibc
package import Logging
package import ServiceLifecycle
import UnixSignals

/// Runs a program from start to stop.
///
/// All services start together. Calls arrive only once `Readiness` is ready. SIGTERM, SIGINT, the
/// end of the lifeline or a service's failure stops the program. First, readiness drains, so that
/// health checks direct callers elsewhere. Then the services stop one after another, the last in
/// the list first, each after it has finished the work it accepted. So the list is in order of
/// dependency: workers, then the server. What they use, such as a store, is closed by the caller
/// after `run` has returned.
package struct ProgramLifecycle: Sendable {
    /// The longest time that a stop may take. After that the kernel kills the program
    /// (Sources/SECURITY.md, Crash).
    package static let stopWithin: Duration = .seconds(10)
    /// The part of that time after which the services are cancelled.
    package static let drainWithin: Duration = .seconds(8)

    private let readiness: Readiness
    private let lifeline: Lifeline?
    private let logger: Logger
    private let killsAfterTimeout: Bool

    /// The lifecycle of a program.
    /// - Parameter killsAfterTimeout: Whether the kernel kills the process when a stop takes longer
    ///   than `stopWithin`. False only in tests, which share their process.
    package init(
        readiness: Readiness, lifeline: Lifeline?, logger: Logger, killsAfterTimeout: Bool
    ) {
        self.readiness = readiness
        self.lifeline = lifeline
        self.logger = logger
        self.killsAfterTimeout = killsAfterTimeout
    }

    /// Runs until all services have ended.
    /// - Returns: The program's exit code: 0 after a requested stop, 1 after a failure, which is
    ///   logged.
    package func run(_ services: [any Service]) async -> Int32 {
        // A write to a closed connection must fail with an error instead of killing the process.
        signal(SIGPIPE, SIG_IGN)
        // So must a write beyond the file size limit (`ulimit -f`, systemd's LimitFSIZE): the store
        // then rejects writes, as on a full disk, and serves reads.
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
        let drain = Drain(
            readiness: readiness, logger: logger, killsAfterTimeout: killsAfterTimeout)
        var configurations = (services + [drain]).map { service in
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service, failureTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: String(describing: type(of: service)))
        }
        if let lifeline {
            // Last, because it must be the first to end: service-lifecycle cancels everything when
            // a service returns during a stop, so a parent that dies in the middle of one would cut
            // the drain short.
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

    /// The first service to stop after the lifeline: sets readiness to draining, and sets an alarm
    /// in the kernel.
    private struct Drain: Service {
        let readiness: Readiness
        let logger: Logger
        let killsAfterTimeout: Bool

        func run() async throws {
            // Throws when the group is cancelled instead, which also means a stop.
            try? await gracefulShutdown()
            readiness.drain()
            logger.info("process.draining", "draining", fields: [:])
            // An alarm instead of a timer, since a timer needs a thread that still runs. The
            // default action of SIGALRM is to kill the process.
            if killsAfterTimeout { alarm(UInt32(ProgramLifecycle.stopWithin.components.seconds)) }
        }
    }
}

/// A service that returns when its descriptor closes, which stops the program.
///
/// `postern up` holds the other end of its children's standard input. When it dies in any way, even
/// by `kill -9`, the kernel closes that end, so that no child outlives its parent.
package struct Lifeline: Service {
    private let descriptor: Int32

    /// Watches `descriptor`. Programs pass standard input, 0.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns when the descriptor closes, or the program stops.
    /// - Throws: Nothing; the protocol requires `throws`.
    package func run() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own that blocks in read(2), since read works for every kind of descriptor
        // and epoll supports neither files nor /dev/null. It stays blocked when the program stops
        // first, and ends with the process.
        DispatchQueue(label: "postern.lifeline").async { [descriptor] in
            while !Self.isClosed(descriptor) {}
            continuation.finish()
        }
        for await _ in closed.cancelOnGracefulShutdown() {}
    }

    /// Waits for input and discards it. True at the end of the input.
    private static func isClosed(_ descriptor: Int32) -> Bool {
        // Polls first: a descriptor that another program has made non-blocking (a terminal is
        // shared) would otherwise be read in a busy loop.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let count = withUnsafeMutableBytes(of: &bytes) {
            read(descriptor, $0.baseAddress, $0.count)
        }
        return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)
    }
}
