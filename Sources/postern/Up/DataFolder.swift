import Glibc
import RPC
import ServiceRuntime

/// What `postern up` keeps, below one folder:
///
///     data/            the stores
///     keys/            master keys; below it who may call (`KeyFolders`)
///     inbox/           mails, while no mail server is configured
///     logs/  run/      a log and a port file for each program
///     endpoints.json   where everything listens
///     up.lock          held by the one `postern up` of the folder
struct DataFolder {
    let path: String
    /// The applications that prove themselves by a secret that the gateway shares, since an earlier
    /// build.
    let sharingApplications: [String]
    private let lock: DataFolderLock

    /// Takes the folder and makes what is missing, readable by its owner alone.
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

    /// Who holds which key.
    var keys: KeyFolders { KeyFolders(path: "\(path)/keys") }

    /// The key that an application outside should use, below the folder.
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

    /// Where a program tells its ports.
    func portFile(_ program: String) -> String { "\(path)/run/\(program).ports" }

    /// Writes `endpoints.json` whole or not at all.
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

/// Where one service is.
struct ServiceEndpoint {
    /// `gateway`, `session`, …
    let service: String
    /// Of its calls.
    let port: Int
    /// Of its metrics and health.
    let metricsPort: Int
}
