import Glibc
import Hosting
import ServiceRuntime

/// Keeps the six programs running.
///
///     start: all at once, and the web service when they have written their ports
///     then:  a child that ends is restarted on its ports (`RestartWait`)
///     stop:  callers before their callees, so that no call reaches a stopped service; SIGTERM, and
///            SIGKILL after 11 s
final class Supervisor {
    /// A program is ready once its store is open. The first start of a version may write every row
    /// of a table, which takes about 10 s for each million of rows. A start that is stopped before
    /// has changed nothing, so the next one would need as long again.
    private static let startTimeout = 600.0
    private static let stopTimeout = 11.0
    private static let names = [
        "postern-rate-limit", "postern-notification", "postern-session", "postern-identity",
        "postern-gateway", "postern-web",
    ]

    private let folder: DataFolder
    private let programsFolder: String
    private let portBase: Int
    var children: [Child]
    var reports = Reports()
    /// The ports for `portBase` 0. Chosen before the start, so that all programs know their peers'.
    private let freePorts: [String: Int]

    /// - Parameter hasWeb: whether to start the web service.
    init(folder: DataFolder, programsFolder: String, portBase: Int, hasWeb: Bool) throws {
        children = Self.names.filter { hasWeb || $0 != "postern-web" }
            .map { Child($0, log: folder.log($0)) }
        self.folder = folder
        self.programsFolder = programsFolder
        self.portBase = portBase
        let names = portBase == 0 ? children.map(\.name) : []
        freePorts = Dictionary(uniqueKeysWithValues: zip(names, try Child.freePorts(names.count)))
    }

    /// The ports of each program, in the order of the port numbers.
    var endpoints: [(service: String, port: Int, metricsPort: Int)] {
        Endpoints.programs.compactMap { service in
            children.first { $0.name == "postern-\(service)" }
                .map { (service, $0.port, $0.metricsPort) }
        }
    }

    // MARK: Starting

    /// Starts all programs; returns when all are ready.
    /// - Throws: `ToolError` if one ends, and for settings with which none could be ready.
    func start(until signals: StopSignals) throws {
        var calls: [(caller: String, callees: [String])] = []
        for child in children {
            let name = String(child.name.trimmingPrefix("postern-"))
            calls.append((name, Self.peers[child.name] ?? []))
        }
        let mistake = PeerCertificates.mistake(in: calls) {
            EnvironmentVariable.setting($0, of: $1)
        }
        if let mistake { throw ToolError(mistake) }
        setWebOrigins()
        for index in children.indices {
            // It is ready once the gateway has answered, and asks every two seconds.
            if children[index].name == "postern-web" { try waitUntilReady(signals) }
            try start(index)
        }
        try waitUntilReady(signals)
        reportWarnings(at: Clock.seconds(), isDue: true)
    }

    /// Waits for all programs that have been started.
    private func waitUntilReady(_ signals: StopSignals) throws {
        for index in children.indices
        where children[index].process != nil && children[index].port == 0 {
            try waitUntilReady(index, signals)
        }
    }

    /// Where clients reach the web service, unless the operator says it: it answers requests for
    /// these hosts only, and the gateway takes backends' tokens for these origins only. Its pages
    /// are on, and passkeys belong to `localhost` where the service is reached by that name: to
    /// browsers 127.0.0.1 is no domain.
    private func setWebOrigins() {
        guard let web = children.first(where: { $0.name == "postern-web" }) else { return }
        let port = ports(web).port
        let origins = ["localhost", "127.0.0.1"].map { "\(Self.webScheme)://\($0):\(port)" }
        // The domain of passkeys is for good, so none is chosen for an operator who has origins.
        if EnvironmentVariable.setting("web-origins", of: "web") == nil {
            setenv("POSTERN_PASSKEY_RP_ID", "localhost", 0)
        }
        setenv("POSTERN_WEB_ORIGINS", origins.joined(separator: ","), 0)
        // The links in mails lead to its pages, unless the operator has turned these off or has
        // pages of his own.
        setenv("POSTERN_PAGES", "on", 0)
        let pages = EnvironmentVariable.setting("pages", of: "web")?.lowercased()
        guard pages == "on" || pages == "true" || pages == "yes" else { return }
        let answered = EnvironmentVariable.setting("web-origins", of: "web") ?? ""
        let first = answered.split { $0 == "," || $0 == " " }.first.map { String($0) }
        setenv("POSTERN_LINK_ORIGIN", first ?? origins[0], 0)
        // The web service compares it with its own origins.
        let names = ["identity", "web"].map { SettingVariable.own("POSTERN_LINK_ORIGIN", of: $0) }
        if let own = EnvironmentVariable.value(names[0]) { setenv(names[1], own, 0) }
    }

    /// The scheme of the web service's URL: the environment may give it a certificate.
    static var webScheme: String {
        EnvironmentVariable.setting("tls-certificate-file", of: "web") == nil ? "http" : "https"
    }

    private func start(_ index: Int) throws {
        let child = children[index]
        unlink(folder.portFile(child.name))
        children[index].log = ChildLog(folder.log(child.name))
        let program = "\(programsFolder)/\(child.name)"
        guard access(program, X_OK) == 0 else {
            throw ToolError("\(program) does not exist: build it with `swift build -c release`")
        }
        let (process, lifeline) = try Child.start(
            program, arguments(child), log: folder.log(child.name))
        children[index].process = process
        children[index].lifeline = lifeline
        children[index].startedAt = Clock.seconds()
    }

    private func arguments(_ child: Child) -> [String] {
        let (port, metricsPort) = ports(child)
        var arguments = [
            "--listen-port", "\(port)", "--metrics-port", "\(metricsPort)",
            "--applications-folder", folder.keys.server(String(child.name.dropFirst(8))),
            "--keys-folder", "\(folder.path)/keys",
            "--port-file", folder.portFile(child.name), "--stop-with-input", "true",
        ]
        if child.name == "postern-web" {
            if !AppsFile.isReplaced { arguments += ["--apps-file", folder.apps.path] }
        } else {
            arguments += ["--data-folder", "\(folder.path)/data"]
        }
        if child.name == "postern-notification" {
            arguments += ["--inbox-folder", "\(folder.path)/inbox"]
        }
        let callers = Self.callerSettings.compactMap {
            EnvironmentVariable.setting($0, of: "gateway")
        }
        if child.name == "postern-gateway", callers.isEmpty {
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
    private static let callerSettings = ["callers", "callers-file", "client-address-from"]

    /// The services that each program calls.
    private static let peers = [
        "postern-session": ["identity"],
        "postern-identity": ["session", "notification", "rate-limit"],
        "postern-gateway": ["identity", "session", "rate-limit"],
        "postern-notification": ["identity", "session", "rate-limit"],
        "postern-web": ["gateway"],
    ]
    /// The web service's port is this much above the gateway's.
    private static let webPortOffset = 80

    private func ports(_ child: Child) -> (port: Int, metricsPort: Int) {
        if child.port != 0 { return (child.port, child.metricsPort) }
        guard portBase != 0 else {
            return (freePorts[child.name] ?? 0, 0)
        }
        let offset = Endpoints.services.firstIndex { child.name == "postern-\($0)" }
        let port = portBase + (offset ?? Self.webPortOffset)
        return (port, port + 10)
    }

    private func waitUntilReady(_ index: Int, _ signals: StopSignals) throws {
        let child = children[index]
        let deadline = Clock.seconds() + Self.startTimeout
        while Clock.seconds() < deadline {
            if let ports = PortFile.read(folder.portFile(child.name)) {
                children[index].port = ports.port
                children[index].metricsPort = ports.metricsPort
                return
            }
            guard let process = child.process, process.ended() == nil else {
                children[index].process = nil
                throw notReady(child, "ended before it was ready")
            }
            if signals.arrive(within: 5) {
                throw ToolError("stopped before all programs were ready")
            }
            reportWarnings(at: Clock.seconds())
            reportWaiting(at: Clock.seconds())
        }
        throw notReady(child, "did not become ready")
    }

    /// Whether its last start was ready: then it has written its ports.
    func isReady(_ child: Child) -> Bool { PortFile.read(folder.portFile(child.name)) != nil }

    private func notReady(_ child: Child, _ what: String) -> ToolError {
        let reason = child.log.reason
        let isTaken = reason.contains(String(cString: strerror(EADDRINUSE)))
        let advice = isTaken ? "\nstop what listens there, or set --port-base" : ""
        return ToolError(
            "\(child.name) \(what): \(reason)\(advice)\n(its log is \(folder.log(child.name)))")
    }

    /// The programs that have logged at their start that they wait for confirmation of the clock.
    var waitingForClock: [(name: String, ahead: Duration)] {
        children.compactMap { child in child.log.clockAhead.map { (child.name, $0) } }
    }

    // MARK: Supervising

    /// Restarts programs that end, until a stop signal arrives.
    /// - Parameter look: looks after what runs beside them, each time.
    func supervise(until signals: StopSignals, _ look: () -> Void) {
        while !signals.arrive(within: 50) {
            look()
            reportWarnings(at: Clock.seconds())
            for index in children.indices { restartIfEnded(index) }
        }
    }

    private func restartIfEnded(_ index: Int) {
        let child = children[index]
        if let process = child.process {
            guard let end = process.ended() else { return }
            children[index].ends += 1
            say(
                "\(child.name) \(end.phrase); see \(folder.log(child.name)); restarting it "
                    + "(restart \(child.ends + 1))")
            close(child.lifeline)
            children[index].restart.recordEnd(
                life: Clock.seconds() - child.startedAt,
                wasReady: isReady(child),
                wasKilled: end.isKill)
            children[index].process = nil
            children[index].startedAt = Clock.seconds()
        }
        guard Clock.seconds() - children[index].startedAt >= children[index].restart.wait else {
            return
        }
        do {
            try start(index)
        } catch {
            say("\(child.name) cannot be started: \(error)")
            children[index].restart.recordFailedStart()
            children[index].startedAt = Clock.seconds()
        }
    }

    /// Prints a line with the time, as the logs have it.
    func say(_ text: String) { Screen.line("\(SystemTime().now().text) \(text)") }

    // MARK: Stopping

    /// Stops all programs, callers before their callees.
    func stop() {
        for index in children.indices.reversed() {
            guard let process = children[index].process else { continue }
            process.send(SIGTERM)
            let deadline = Clock.seconds() + Self.stopTimeout
            while process.ended() == nil {
                if Clock.seconds() > deadline { process.send(SIGKILL) }
                usleep(5_000)
            }
            close(children[index].lifeline)
            children[index].process = nil
        }
    }
}

/// The boot clock, for timeouts.
enum Clock {
    static func seconds() -> Double { SystemTime.read(CLOCK_BOOTTIME) / .seconds(1) }
}
