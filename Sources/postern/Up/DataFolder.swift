import Glibc
import RPC
import ServiceRuntime

/// The files of `postern up`, below one folder:
///
///     data/            the stores
///     keys/            master keys; below it the application keys (`KeyFolders`)
///     inbox/           mails, while no mail server is configured
///     logs/  run/      a log and a port file for each program
///     endpoints.json   the addresses of all services
///     up.lock          held by the one `postern up` of the folder
struct DataFolder {
    let path: String
    /// Applications that still authenticate with a secret shared with the gateway, created by an
    /// earlier build.
    let sharingApplications: [String]
    private let lock: DataFolderLock

    /// Locks the folder and creates missing parts, readable by its owner only.
    /// - Throws: `ToolError`; `inUse` while another `postern up` has the folder.
    init(_ path: String) throws {
        self.path = path
        for part in ["", "/data", "/keys", "/inbox", "/logs", "/run"] {
            guard mkdir(path + part, 0o700) == 0 || errno == EEXIST else {
                throw ToolError.system(path + part, errno)
            }
        }
        lock = try DataFolderLock(path)
        sharingApplications = try KeyFolders(path: path + "/keys").prepare()
    }

    /// The application keys.
    var keys: KeyFolders { KeyFolders(path: "\(path)/keys") }

    /// The current key file of an external application, relative to the folder.
    private func keyFile(_ application: String) throws -> String {
        let file = try ApplicationKey.currentFile(
            of: application, in: keys.outside, now: SystemTime().now())
        guard let name = file?.split(separator: "/").last else {
            throw ApplicationsError.noKey(application, folder: keys.outside)
        }
        return "keys/applications/\(name)"
    }

    /// The log of a program.
    func log(_ program: String) -> String { "\(path)/logs/\(program).log" }

    /// The file in which a program writes its ports.
    func portFile(_ program: String) -> String { "\(path)/run/\(program).ports" }

    /// Writes `endpoints.json` atomically.
    func writeEndpoints(_ endpoints: [ServiceEndpoint]) throws {
        let services = endpoints.map { "  \"\($0.service)\": \"127.0.0.1:\($0.port)\"," }
        let metrics = endpoints.map { "\"\($0.service)\": \"127.0.0.1:\($0.metricsPort)\"" }
        let (app, tool) = (try keyFile("app"), try keyFile("tool"))
        let text = """
            {
            \(services.joined(separator: "\n"))
              "metrics": {\(metrics.joined(separator: ", "))},
              "application": {"id": "app", "secret_file": "\(app)"},
              "admin": {"id": "tool", "secret_file": "\(tool)"}
            }

            """
        try TextFile.replace("\(path)/endpoints.json", with: text)
    }
}

/// The ports of one service.
struct ServiceEndpoint {
    /// `gateway`, `session`, …
    let service: String
    /// The port of its calls.
    let port: Int
    /// The port of its metrics and health.
    let metricsPort: Int
}
