import Glibc
import Hosting

/// Keeps the five programs running.
///
///     start: callees before their callers, each until it has written its ports
///     then:  a child that ends is restarted on its ports (`RestartWait`)
///     stop:  the gateway first, so that no call reaches a stopped service; SIGTERM, and SIGKILL
///            after 11 s
final class Supervisor {
    private static let startPatience = 20.0
    private static let stopPatience = 11.0
    private static let names = [
        "postern-rate-limit", "postern-notification", "postern-session", "postern-identity",
        "postern-gateway",
    ]

    private let folder: DataFolder
    private let programs: ProgramFiles
    private let portBase: Int
    private var children = Supervisor.names.map { Child($0) }
    /// Ports of programs that are called by a program that starts before them.
    private let earlyPorts: [String: Int]

    init(folder: DataFolder, programs: ProgramFiles, portBase: Int) {
        self.folder = folder
        self.programs = programs
        self.portBase = portBase
        earlyPorts =
            portBase == 0
            ? ["postern-identity": FreePort.find(), "postern-session": FreePort.find()] : [:]
    }

    /// The ports of each service, in the order of the port numbers.
    var endpoints: [ServiceEndpoint] {
        Endpoints.services.map { service in
            let child = children.first { $0.name == "postern-\(service)" }
            return ServiceEndpoint(
                service: service, port: child?.port ?? 0, metricsPort: child?.metricsPort ?? 0)
        }
    }

    // MARK: Starting

    /// Starts all programs; returns when all are ready.
    func start(until signals: StopSignals) throws {
        for index in children.indices {
            try start(index)
            // With fixed ports all can start at once; the loop below waits for each.
            if portBase == 0 { try waitUntilReady(index, signals) }
        }
        for index in children.indices where children[index].port == 0 {
            try waitUntilReady(index, signals)
        }
    }

    private func start(_ index: Int) throws {
        let child = children[index]
        unlink(folder.portFile(child.name))
        children[index].log = ChildLog(folder.log(child.name))
        let (process, lifeline) = try ChildProcess.start(
            programs.path(of: child.name), arguments(child), log: folder.log(child.name))
        children[index].process = process
        children[index].lifeline = lifeline
        children[index].startedAt = Clock.seconds()
    }

    private func arguments(_ child: Child) -> [String] {
        let (port, metricsPort) = ports(child)
        var arguments = [
            "--listen-port", "\(port)", "--metrics-port", "\(metricsPort)",
            "--data-folder", "\(folder.path)/data", "--keys-folder", "\(folder.path)/keys",
            "--applications-folder", folder.keys.server(String(child.name.dropFirst(8))),
            "--port-file", folder.portFile(child.name), "--stop-with-input", "true",
        ]
        if child.name == "postern-notification" {
            arguments += ["--inbox-folder", "\(folder.path)/inbox"]
        }
        if child.name == "postern-gateway", Self.callerSettings.allSatisfy({ getenv($0) == nil }) {
            arguments += ["--callers-file", folder.keys.gatewayCallers.path]
        }
        for peer in Self.peers[child.name] ?? [] {
            guard let peerChild = children.first(where: { $0.name == "postern-\(peer)" }) else {
                continue
            }
            arguments += ["--\(peer)-address", "127.0.0.1:\(ports(peerChild).port)"]
        }
        return arguments
    }

    /// If one of these is set, the operator configures the permitted callers himself.
    private static let callerSettings = [
        "POSTERN_CALLERS", "POSTERN_CALLERS_FILE", "POSTERN_CLIENT_ADDRESS_FROM",
    ]

    /// The services that each program calls.
    private static let peers = [
        "postern-session": ["identity"],
        "postern-identity": ["session", "notification"],
        "postern-gateway": ["identity", "session", "rate-limit"],
        "postern-notification": ["identity", "session", "rate-limit"],
    ]

    private func ports(_ child: Child) -> (port: Int, metricsPort: Int) {
        if child.port != 0 { return (child.port, child.metricsPort) }
        guard portBase != 0 else {
            return (earlyPorts[child.name] ?? 0, 0)
        }
        let offset = Endpoints.services.firstIndex { child.name == "postern-\($0)" }
        let port = portBase + (offset ?? 0)
        return (port, port + 10)
    }

    private func waitUntilReady(_ index: Int, _ signals: StopSignals) throws {
        let child = children[index]
        let deadline = Clock.seconds() + Self.startPatience
        while Clock.seconds() < deadline {
            if let ports = PortFile.read(folder.portFile(child.name)) {
                children[index].port = ports.port
                children[index].metricsPort = ports.metricsPort
                return
            }
            guard let process = child.process, !ChildEnd.hasEnded(process) else {
                children[index].process = nil
                throw ToolError.childEnded(
                    child.name, reason: child.log.reason, log: folder.log(child.name))
            }
            if signals.arrive(within: 5) { throw ToolError.stopped }
        }
        throw ToolError.childNotReady(
            child.name, reason: child.log.reason, log: folder.log(child.name))
    }

    /// The programs that have logged at their start that they wait for confirmation of the clock.
    var waitingForClock: [(name: String, ahead: Duration)] {
        children.compactMap { child in child.log.clockAhead.map { (child.name, $0) } }
    }

    // MARK: Supervising

    /// Restarts programs that end, until a stop signal arrives.
    func supervise(until signals: StopSignals) {
        while !signals.arrive(within: 50) {
            for index in children.indices { restartIfEnded(index) }
        }
    }

    private func restartIfEnded(_ index: Int) {
        let child = children[index]
        if let process = child.process {
            guard let end = ChildEnd.of(process) else { return }
            Screen.line("\(child.name) ended; see \(folder.log(child.name)); restarting it")
            close(child.lifeline)
            children[index].restart.noteEnd(
                life: Clock.seconds() - child.startedAt,
                wasReady: PortFile.read(folder.portFile(child.name)) != nil,
                wasKilled: end == .killed)
            children[index].process = nil
            children[index].startedAt = Clock.seconds()
        }
        guard Clock.seconds() - children[index].startedAt >= children[index].restart.wait else {
            return
        }
        do {
            try start(index)
        } catch {
            Screen.line("\(child.name) cannot be started: \(error)")
            children[index].restart.noteFailedStart()
            children[index].startedAt = Clock.seconds()
        }
    }

    // MARK: Stopping

    /// Stops all programs, callers before their callees.
    func stop() {
        for index in children.indices.reversed() {
            guard let process = children[index].process else { continue }
            kill(process, SIGTERM)
            let deadline = Clock.seconds() + Self.stopPatience
            while !ChildEnd.hasEnded(process) {
                if Clock.seconds() > deadline { kill(process, SIGKILL) }
                usleep(5_000)
            }
            close(children[index].lifeline)
            children[index].process = nil
        }
    }
}

/// How a child has ended; it has been reaped then.
enum ChildEnd {
    /// By SIGKILL, which a program never sends to itself.
    case killed
    /// By exit, by another signal or by a crash.
    case left

    /// - Returns: nil while the child runs.
    static func of(_ process: pid_t) -> ChildEnd? {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        // The low seven bits are the signal that ended it (WTERMSIG).
        return status & 0x7f == SIGKILL ? .killed : .left
    }

    static func hasEnded(_ process: pid_t) -> Bool { of(process) != nil }
}

/// The boot clock, for timeouts.
enum Clock {
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
