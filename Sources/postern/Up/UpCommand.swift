import ArgumentParser
import Glibc
import ServiceRuntime
import Storage

/// `postern up`: the programs as children of one process, on a data folder.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Starts the six programs, and restarts any that end, until Ctrl-C.",
        discussion: """
            Creates keys at the first start (`postern applications` lists them), and writes the \
            addresses of all services to DATA/endpoints.json.
            """)

    @Option(help: "The folder for stores, keys, logs and mails.")
    var data = ".postern"

    @Option(help: "The gateway's port; the others follow it. 0 takes unused ports.")
    var portBase = 7400

    @Flag(inversion: .prefixedNo, help: "Whether to start the web service, for HTTP.")
    var web = true

    @Option(
        help: ArgumentHelp(
            """
            The PostgreSQL server of all stores, a URL without a password; or "private", for one \
            that is started and stopped with the programs. Default: files in the data folder.
            """, valueName: "url"))
    var store: String?

    @Option(help: "The languages of formal texts: de, es or de,es.")
    var formalLanguages: String?

    func validate() throws {
        guard portBase == 0 || (1...65_400).contains(portBase) else {
            throw ValidationError("--port-base is 0, or 1 to 65400")
        }
        guard let store, store != PrivateServer.word else { return }
        do {
            _ = try ServerSettings(url: store, schema: ServerSettings.schema(of: "identity"))
        } catch {
            throw ValidationError("--store: \(error)")
        }
    }

    func run() throws {
        let folder = try DataFolder(data)
        // All programs read it; those that write no texts ignore it.
        if let formalLanguages { setenv("POSTERN_FORMAL_LANGUAGES", formalLanguages, 1) }
        let programsFolder = try Child.programsFolder()
        UnknownVariables.warnings(
            programs: Endpoints.programs.map { "\(programsFolder)/postern-\($0)" }
        ).forEach(Screen.error)
        let signals = StopSignals()
        let server = try privateServer(folder, until: signals)
        defer { server?.stop() }
        if let url = server?.url ?? store { setenv(EnvironmentVariable.storeURL, url, 1) }
        let supervisor = try Supervisor(
            folder: folder, programsFolder: programsFolder, portBase: portBase, hasWeb: web)
        do {
            try supervisor.start(until: signals)
            let appKey = folder.apps.developmentKey
            try folder.writeEndpoints(
                supervisor.endpoints, webScheme: Supervisor.webScheme, appKey: appKey)
            let places = Self.places(folder, supervisor.endpoints)
            let commands = Self.commands(folder, supervisor.endpoints, appKey: appKey)
            Screen.line(
                (["ready"] + places + ["to try it, in another terminal:"] + commands)
                    .joined(separator: "\n"))
            for application in folder.sharingApplications {
                Screen.line(
                    "\(application) authenticates with a secret that the gateway shares, from an "
                        + "earlier build; `postern applications rotate \(application)` creates a "
                        + "key that only the application has")
            }
            let warning = Self.clockWarning(
                supervisor.waitingForClock, option: Self.option(folder))
            warning.map(Screen.line)
            supervisor.supervise(until: signals) { server?.restartIfEnded() }
        } catch {
            supervisor.stop()
            throw error
        }
        supervisor.stop()
    }

    /// The server that runs beside the programs; nil if none was asked for.
    private func privateServer(
        _ folder: DataFolder, until signals: StopSignals
    ) throws -> PrivateServer? {
        if store == PrivateServer.word { return try PrivateServer(folder, until: signals) }
        // Otherwise all accounts would seem to be gone.
        guard
            store != nil || getenv(EnvironmentVariable.storeURL) != nil || !PrivateServer.isIn(data)
        else {
            throw ToolError(
                "the stores of \(folder.path) are on its own PostgreSQL: add --store private, or "
                    + "move \(folder.path)/postgresql away to start with empty stores")
        }
        return nil
    }

    private typealias Endpoint = (service: String, port: Int, metricsPort: Int)

    /// The option with which other commands find the services of this one.
    private static func option(_ folder: DataFolder) -> String {
        folder.path == ".postern" ? "" : " --endpoints \(folder.path)/endpoints.json"
    }

    private static var hasMailServer: Bool {
        EnvironmentVariable.setting("smtp-host", of: "notification") != nil
    }

    /// Where it listens, where its data is, and how to stop it.
    private static func places(_ folder: DataFolder, _ endpoints: [Endpoint]) -> [String] {
        var places = endpoints.compactMap { endpoint -> (String, String)? in
            switch endpoint.service {
            case "web":
                (
                    "web",
                    "\(Supervisor.webScheme)://127.0.0.1:\(endpoint.port) for apps and browsers"
                )
            case "gateway": ("gateway", "127.0.0.1:\(endpoint.port) for backends, over TCP")
            default: nil
            }
        }
        places.append(
            ("data", "\(folder.path): stores, keys, logs; endpoints.json has all addresses"))
        if let url = EnvironmentVariable.value(EnvironmentVariable.storeURL) {
            places.append(("store", "\(url), on PostgreSQL"))
        }
        // The programs' own defaults, which are for a first try only.
        if !hasMailServer {
            places.append(("mails", "in \(folder.path)/inbox, until POSTERN_SMTP_HOST is set"))
        }
        if EnvironmentVariable.setting("link-origin", of: "identity") == nil {
            places.append(("links", "to http://localhost:3000, until POSTERN_LINK_ORIGIN is set"))
        }
        places.append(("stop", "Ctrl-C, or kill \(getpid())"))
        return places.map { "  \($0.0.padded(to: 9))\($0.1)" }
    }

    /// Commands to paste; the first signs a person up.
    private static func commands(
        _ folder: DataFolder, _ endpoints: [Endpoint], appKey: String?
    ) -> [String] {
        let option = option(folder)
        let data = folder.path == ".postern" ? "" : " --data \(folder.path)"
        let request = SignUpExample.request()
        let method = "postern.gateway.v1.Auth/SignUpWithPassword"
        var signUp = "echo \(request) | \(tool) call \(method) -\(option)"
        if let web = endpoints.first(where: { $0.service == "web" }), let appKey {
            signUp =
                "curl \(Supervisor.webScheme)://127.0.0.1:\(web.port)/\(method) "
                + "-H 'x-postern-app: \(appKey)' "
                + "-H 'content-type: application/json' -d \(request)"
        }
        let mails = !hasMailServer ? "inbox\(data)" : "outbox\(option)"
        return [signUp, "\(tool) \(mails)", "\(tool) status\(option)"].map { "  \($0)" }
    }

    /// This program as a shell finds it from the same folder: `postern`, or its path.
    private static var tool: String {
        let path = CommandLine.arguments.first ?? "postern"
        guard let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        let prefix = String(cString: here) + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }

    /// What it prints if services wait for the operator to confirm the clock. Otherwise only the
    /// logs would say why sign-ins and refreshes fail.
    /// - Parameters:
    ///   - services: those that wait, each with how far the machine's clock is ahead of its own.
    ///   - option: the option that `postern clock accept` needs to find them.
    /// - Returns: nil if none waits.
    static func clockWarning(_ services: [(name: String, ahead: Duration)], option: String)
        -> String?
    {
        guard let farthest = services.map(\.ahead).max() else { return nil }
        let names = services.map { $0.name.trimmingPrefix("postern-") }.joined(separator: ", ")
        return """
            the clock waits for confirmation: the machine's is \(ClockState.distance(farthest)) \
            ahead of where \(names) stopped
              Until then sessions are not created, refreshed or validated; nothing expires.
              If `date` is right (the machine was off that long):  postern clock accept\(option)
              If it is wrong, set it: the services then continue without a restart.
            """
    }
}

/// Ctrl-C and `kill`, received synchronously where the supervisor waits, so that no signal handler
/// interrupts other code.
struct StopSignals {
    private var signals = sigset_t()

    /// Blocks the signals from now on; they stay pending until `arrive`.
    init() {
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether a signal arrives within `milliseconds`.
    func arrive(within milliseconds: Int) -> Bool {
        var wait = timespec(
            tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        var signals = signals
        return sigtimedwait(&signals, nil, &wait) > 0
    }
}
