import Glibc
import JSON
import RPC
import ServiceRuntime

/// The files of `postern up`, below one folder:
///
///     data/            the stores
///     keys/            master keys; below it the application keys (`KeyFolders`)
///     inbox/           mails, while no mail server is configured
///     apps.yaml        the apps that may call the web service (`AppsFile`)
///     logs/  run/      a log and a port file for each program
///     postgresql/      the stores instead, with `--store private` (`PrivateServer`)
///     endpoints.json   the addresses of all services
///     up.lock          held by the one `postern up` of the folder
struct DataFolder {
    let path: String
    /// Applications that still authenticate with a secret shared with the gateway, created by an
    /// earlier build.
    let sharingApplications: [String]
    private let lock: Lock

    /// Locks the folder and creates missing parts, readable by its owner only.
    /// - Throws: `ToolError`, for example while another `postern up` has the folder.
    init(_ path: String) throws {
        self.path = path
        for part in ["", "/data", "/keys", "/inbox", "/logs", "/run"] {
            guard Files.makeFolder(path + part) else {
                throw ToolError.system(path + part, errno)
            }
        }
        lock = try Lock(path)
        sharingApplications = try KeyFolders(path: path + "/keys").prepare()
        try apps.prepare()
    }

    /// The apps of the web service.
    var apps: AppsFile { AppsFile(path: "\(path)/apps.yaml") }

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
    /// - Parameters:
    ///   - webScheme: the scheme of the web service's URL.
    ///   - appKey: the app key for development; nil if the operator has removed it.
    func writeEndpoints(
        _ endpoints: [(service: String, port: Int, metricsPort: Int)], webScheme: String,
        appKey: String?
    ) throws {
        var members = endpoints.map { endpoint in
            let address = "127.0.0.1:\(endpoint.port)"
            guard endpoint.service == "web" else {
                return JSONObject.Member(name: endpoint.service, value: .string(address))
            }
            let url = JSONObject.Member(name: "url", value: .string("\(webScheme)://\(address)"))
            let key = appKey.map { JSONObject.Member(name: "app_key", value: .string($0)) }
            return .init(
                name: "web", value: .object(JSONObject(unique: [url] + [key].compactMap(\.self))))
        }
        let metrics = endpoints.map {
            JSONObject.Member(name: $0.service, value: .string("127.0.0.1:\($0.metricsPort)"))
        }
        members.append(.init(name: "metrics", value: .object(JSONObject(unique: metrics))))
        for (name, application) in [("application", "app"), ("admin", "tool")] {
            members.append(
                .init(
                    name: name,
                    value: .object([
                        "id": .string(application),
                        "secret_file": .string(try keyFile(application)),
                    ])))
        }
        let text = JSONWriter.text(.object(JSONObject(unique: members)), .required, pretty: true)
        try TextFile.replace("\(path)/endpoints.json", with: text + "\n")
    }

    /// A lock that permits only one `postern up` for a data folder.
    ///
    /// The programs inherit the lock. If `postern up` is killed they drain for a moment and still
    /// hold their stores. The next `postern up` waits for them here instead of failing on a store.
    private final class Lock {
        /// In seconds; longer than a program may drain.
        private static let timeout = 12.0
        private let file: Int32

        /// Takes the lock.
        /// - Throws: `ToolError` while another `postern up` has the folder.
        init(_ folder: String) throws {
            let path = "\(folder)/up.lock"
            let file = open(path, O_RDWR | O_CREAT, 0o600)  // no O_CLOEXEC: children inherit it
            guard file >= 0 else { throw ToolError.system(path, errno) }
            let deadline = Clock.seconds() + Self.timeout
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                let holder = Self.holder(file)
                guard holder.map({ kill($0, 0) != 0 }) ?? true, Clock.seconds() < deadline else {
                    close(file)
                    throw ToolError(
                        "\(folder) is in use by process \(holder.map { "\($0)" } ?? "unknown"): "
                            + "stop that process first, or use another folder with --data")
                }
                usleep(20_000)
            }
            self.file = file
            let text = Array("\(getpid())\n".utf8)
            // Only used in the error message of another process, so a failure does not matter.
            _ = ftruncate(file, 0)
            _ = pwrite(file, text, text.count, 0)
        }

        deinit {
            close(file)
        }

        private static func holder(_ file: Int32) -> pid_t? {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = pread(file, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            return pid_t(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
        }
    }
}
