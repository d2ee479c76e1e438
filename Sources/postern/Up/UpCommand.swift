import ArgumentParser
import Glibc

/// `postern up`: the five programs as children of one process, on a data folder.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Starts the five programs, and restarts any that end, until Ctrl-C.",
        discussion: """
            Creates keys at the first start (`postern applications` lists them), and writes the \
            addresses of all services to DATA/endpoints.json.
            """)

    @Option(help: "The folder for stores, keys, logs and mails.")
    var data = ".postern"

    @Option(help: "The gateway's port; the others follow it. 0 lets the system choose.")
    var portBase = 7400

    func validate() throws {
        guard portBase == 0 || (1...65_500).contains(portBase) else {
            throw ValidationError("--port-base is 0, or 1 to 65500")
        }
    }

    func run() throws {
        let folder = try DataFolder(data)
        let signals = StopSignals()
        let supervisor = Supervisor(
            folder: folder, programs: try ProgramFiles.besideThisOne(), portBase: portBase)
        do {
            try supervisor.start(until: signals)
            try folder.writeEndpoints(supervisor.endpoints)
            Screen.line(Self.welcome(folder))
            for application in folder.sharingApplications {
                Screen.line(
                    "\(application) authenticates with a secret that the gateway shares, from an "
                        + "earlier build; `postern applications rotate \(application)` creates a "
                        + "key that only the application has")
            }
            if let text = ClockWaiting.text(
                supervisor.waitingForClock, option: Self.option(folder))
            {
                Screen.line(text)
            }
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

    private static func welcome(_ folder: DataFolder) -> String {
        let option = option(folder)
        let data = folder.path == ".postern" ? "" : " --data \(folder.path)"
        return """
            ready
              echo '{"email":"ada@example.org","password":"Correct7Horse","device":{"deviceId":"d1","platform":"cli"}}' | postern call postern.gateway.v1.Auth/SignUpWithPassword -\(option)
              postern inbox\(data)
              postern status\(option)
            """
    }
}
