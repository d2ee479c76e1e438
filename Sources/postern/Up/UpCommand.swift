import ArgumentParser
import Glibc
import ServiceRuntime

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

    @Option(help: "The gateway's port; the others follow it. 0 lets the system choose.")
    var portBase = 7400

    @Flag(inversion: .prefixedNo, help: "Whether to start the web service, for HTTP.")
    var web = true

    @Option(help: "The languages of formal texts: de, es or de,es.")
    var formalLanguages: String?

    func validate() throws {
        guard portBase == 0 || (1...65_400).contains(portBase) else {
            throw ValidationError("--port-base is 0, or 1 to 65400")
        }
    }

    func run() throws {
        let folder = try DataFolder(data)
        // All programs read it; those that write no texts ignore it.
        if let formalLanguages { setenv("POSTERN_FORMAL_LANGUAGES", formalLanguages, 1) }
        let signals = StopSignals()
        let supervisor = Supervisor(
            folder: folder, programsFolder: try Child.programsFolder(), portBase: portBase,
            hasWeb: web)
        do {
            try supervisor.start(until: signals)
            let appKey = try folder.apps.developmentKey()
            try folder.writeEndpoints(supervisor.endpoints, appKey: appKey)
            let web = supervisor.endpoints.first { $0.service == "web" }
            Screen.line(Self.welcome(folder, webPort: web?.port, appKey: appKey))
            for application in folder.sharingApplications {
                Screen.line(
                    "\(application) authenticates with a secret that the gateway shares, from an "
                        + "earlier build; `postern applications rotate \(application)` creates a "
                        + "key that only the application has")
            }
            let warning = Self.clockWarning(
                supervisor.waitingForClock, option: Self.option(folder))
            warning.map(Screen.line)
            supervisor.supervise(until: signals)
        } catch {
            supervisor.stop()
            throw error
        }
        supervisor.stop()
    }

    /// The option with which other commands find the services of this one.
    private static func option(_ folder: DataFolder) -> String {
        folder.path == ".postern" ? "" : " --endpoints \(folder.path)/endpoints.json"
    }

    private static func welcome(_ folder: DataFolder, webPort: Int?, appKey: String?) -> String {
        let option = option(folder)
        let data = folder.path == ".postern" ? "" : " --data \(folder.path)"
        let request = """
            '{"email":"ada@example.org","password":"Correct7Horse","device":{"deviceId":"d1","platform":"cli"}}'
            """
        let method = "postern.gateway.v1.Auth/SignUpWithPassword"
        var signUp = "echo \(request) | postern call \(method) -\(option)"
        if let webPort, let appKey {
            signUp =
                "curl http://127.0.0.1:\(webPort)/\(method) -H 'x-postern-app: \(appKey)' "
                + "-H 'content-type: application/json' -d \(request)"
        }
        return """
            ready
              \(signUp)
              postern inbox\(data)
              postern status\(option)
            """
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
