import Cryptography
import Glibc
import ServiceRuntime

/// What `postern up` keeps, below one folder:
///
///     data/            the stores
///     keys/            master keys; keys/applications: who may call
///     inbox/           mails, while no mail server is configured
///     logs/  run/      a log and a port file for each program
///     endpoints.json   where everything listens
///     up.lock          held by the one `postern up` of the folder
struct DataFolder {
    /// The applications whose keys are made: the developer's own backend, the operator's tool, and
    /// the programs that call others.
    static let applications = [
        "app", "tool", "gateway", "identity", "session", "notification",
    ]

    let path: String
    private let lock: DataFolderLock

    /// Takes the folder and makes what is missing, readable by its owner alone.
    /// - Throws: `ToolError`; `inUse` while another `postern up` has the folder.
    init(_ path: String) throws {
        self.path = path
        for part in ["", "/data", "/keys", "/keys/applications", "/inbox", "/logs", "/run"] {
            guard mkdir(path + part, 0o700) == 0 || errno == EEXIST else {
                throw ToolError.system(path + part, errno)
            }
        }
        lock = try DataFolderLock(path)
        for application in Self.applications {
            let file = "\(path)/\(Self.keyFile(application))"
            guard access(file, F_OK) != 0 else { continue }
            try SecretFile.create(file, .generate(count: 32, randomness: KeyRandomness()))
        }
    }

    /// The key of an application, below the folder.
    static func keyFile(_ application: String) -> String {
        "keys/applications/\(application).k1.key"
    }

    /// The log of a program.
    func log(_ program: String) -> String { "\(path)/logs/\(program).log" }

    /// Where a program tells its ports.
    func portFile(_ program: String) -> String { "\(path)/run/\(program).ports" }

    /// Writes `endpoints.json` whole or not at all.
    func writeEndpoints(_ endpoints: [ServiceEndpoint]) throws {
        let services = endpoints.map { "  \"\($0.service)\": \"127.0.0.1:\($0.port)\"," }
        let metrics = endpoints.map { "\"\($0.service)\": \"127.0.0.1:\($0.metricsPort)\"" }
        let text = """
            {
            \(services.joined(separator: "\n"))
              "metrics": {\(metrics.joined(separator: ", "))},
              "application": {"id": "app", "secret_file": "\(Self.keyFile("app"))"},
              "admin": {"id": "tool", "secret_file": "\(Self.keyFile("tool"))"}
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
