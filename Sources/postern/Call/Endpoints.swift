import Cryptography
import Glibc
import JSON
import RPC
import ServiceRuntime

/// The content of `endpoints.json`: the address of each service, and the keys to call them with.
struct Endpoints {
    /// The environment variable that names the file where no option does.
    static let pathVariable = "POSTERN_ENDPOINTS"

    /// The file where no option names one.
    static var defaultPath: String {
        let variable: UnsafeMutablePointer<CChar>? = getenv(pathVariable)
        return chosenPath(variable.map { String(cString: $0) })
    }

    /// - Parameter variable: the value of `pathVariable`; nil if it is not set.
    static func chosenPath(_ variable: String?) -> String {
        guard let variable, !variable.isEmpty else { return ".postern/endpoints.json" }
        return variable
    }

    /// The folder of `postern up` where no option names one: that of the file.
    static var defaultFolder: String { Files.folder(of: defaultPath) }

    /// The services that the tool calls, in the order of their ports.
    static let services = ["gateway", "identity", "session", "rate-limit", "notification"]
    /// The services, and the web service, which is optional and has no rpcs of its own.
    static let programs = services + ["web"]

    private let path: String
    private let addresses: [String: ServiceAddress]
    /// The texts of the file, for an address that cannot be read.
    private let texts: [String: String]
    private let metrics: [String: ServiceAddress]
    /// The gateway is called as the application, the other services as the operator's tool.
    private let application: Application
    private let admin: Application
    /// Absent if the services do not use TLS.
    private let tls: TLS?

    init(_ path: String) throws {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            throw ToolError(
                "there is no file \(path): start `postern up` first, or name its endpoints.json "
                    + "with --endpoints or \(Self.pathVariable)")
        }
        let file = try Self.object(in: path)
        guard let application = file["application"]?.object.flatMap(Application.init) else {
            throw Self.invalid(path, "\"application\" with an \"id\" is missing")
        }
        self.path = path
        self.application = application
        addresses = Self.addresses(file)
        texts = file.members.reduce(into: [:]) { $0[$1.name] = $1.value.string }
        metrics = file["metrics"]?.object.map(Self.addresses) ?? [:]
        admin =
            try file["admin"].map { value in
                guard let admin = value.object.flatMap(Application.init) else {
                    throw Self.invalid(path, "\"admin\" has no \"id\"")
                }
                return admin
            } ?? application
        tls = try file["tls"].map { value in
            // An unreadable `tls` must not lead to calls without TLS.
            guard let tls = value.object.flatMap(TLS.init) else {
                throw Self.invalid(
                    path,
                    "\"tls\" needs \"roots\", and both or none of \"certificate\" and "
                        + "\"certificate_key\"")
            }
            return tls
        }
    }

    /// The file's JSON, of which each member is of a kind that the file may have.
    private static func object(in path: String) throws -> JSONObject {
        let bytes = try TextFile.read(path)
        guard let file = JSONReader.object(in: bytes) else {
            throw invalid(path, "it is not a JSON object")
        }
        if let member = file.members.first(where: { !isKnown($0.value) }) {
            throw invalid(path, "\"\(member.name)\" is neither a text nor a known object")
        }
        return file
    }

    private static func invalid(_ path: String, _ reason: String) -> ToolError {
        ToolError(
            "\(path) is not a valid endpoints file: \(reason); `postern up` writes one when it "
                + "starts")
    }

    /// Whether it is an address, an application, the TLS files or a group of addresses.
    private static func isKnown(_ value: JSONValue) -> Bool {
        guard let object = value.object else { return value.string != nil }
        return Application(object) != nil || TLS(object) != nil
            || object.members.allSatisfy { $0.value.string != nil }
    }

    private static func addresses(_ object: JSONObject) -> [String: ServiceAddress] {
        object.members.reduce(into: [:]) { addresses, member in
            addresses[member.name] = member.value.string.flatMap { ServiceAddress($0) }
        }
    }

    /// Calls all services concurrently, so that stopped ones cost one timeout in total.
    /// - Returns: the answers by service, without those that are nil.
    static func ofEach<Answer: Sendable>(
        of programs: [String] = services,
        _ call: @escaping @Sendable (String) async -> Answer?
    ) async -> [String: Answer] {
        await withTaskGroup(of: (String, Answer?).self) { group in
            for service in programs { group.addTask { (service, await call(service)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// The services, and the web service if the file has it.
    var programs: [String] {
        Self.programs.filter { Self.services.contains($0) || metrics[$0] != nil }
    }

    /// The address of a service; nil if the file has none.
    func address(of service: String) -> ServiceAddress? { addresses[service] }

    /// The address of a service's metrics; nil if the file has none.
    func metrics(of service: String) -> ServiceAddress? { metrics[service] }

    /// The client settings for a service.
    func client(
        of service: String, connectTimeout: Duration = .seconds(2)
    ) throws -> ClientSettings {
        guard let address = addresses[service] else {
            throw ToolError(
                texts[service].map {
                    "\(path): the address of \(service) is HOST:PORT, not \"\($0)\""
                } ?? "\(path) has no address of the service \(service)")
        }
        let caller = service == "gateway" ? application : admin
        guard caller.keyFile != nil || tls?.certificate != nil else {
            throw Self.invalid(path, "\(caller.id) has no \"secret_file\"")
        }
        let key = try caller.keyFile.map { try self.key($0, of: caller.id) }
        var settings = ClientSettings(
            service: "postern.\(service)", host: address.host, port: address.port,
            application: caller.id, keyID: key?.keyID ?? "", secret: key?.key,
            connectTimeout: connectTimeout)
        settings.security = try tls?.security(besideFile) ?? ClientSettings.Security()
        return settings
    }

    /// The key of the application as which the gateway is called.
    func applicationKey() throws -> ApplicationKey {
        guard let file = application.keyFile else {
            throw Self.invalid(path, "\(application.id) has no \"secret_file\"")
        }
        return try key(file, of: application.id)
    }

    private func key(_ name: String, of application: String) throws -> ApplicationKey {
        var file = besideFile(name)
        var status = stat()
        // The reader of the key reports that it does not exist.
        if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            let newest = try ApplicationKey.currentFile(
                of: application, in: file, now: SystemTime().now())
            guard let newest else {
                throw ToolError("\(path): \(file) has no key of \(application)")
            }
            file = newest
        }
        let key = try ApplicationKey(file: file)
        guard key.application == application else {
            throw ToolError("\(path): \(name) is not a key of \(application)")
        }
        return key
    }

    /// Resolves a file name relative to the endpoints file.
    private func besideFile(_ file: String) -> String {
        if file.hasPrefix("/") { return file }
        return "\(Files.folder(of: path))/\(file)"
    }
}

extension Endpoints {
    /// An application that the tool calls as.
    private struct Application {
        let id: String
        /// A key file, or a folder from which the newest key of `id` is used, so that a rotation
        /// needs no change here. Absent if the certificate names the application.
        let keyFile: String?

        /// Nil for an object without `id`, or with a value that is not a text.
        init?(_ object: JSONObject) {
            guard let id = object["id"]?.string,
                case .some(let keyFile) = object.optionalText("secret_file")
            else { return nil }
            self.id = id
            self.keyFile = keyFile
        }
    }

    /// The tool's TLS files, as `tls` in `endpoints.json` names them:
    ///
    ///     roots              the CA certificates of the services' certificates
    ///     certificate        the tool's own certificate, for services that require one
    ///     certificate_key    its private key
    ///     certificate_name   the name in the services' certificates, if it is not the host
    private struct TLS {
        let roots: String
        let certificate: CertificateFiles?
        let certificateName: String?

        /// Nil for an object without `roots`, with a value that is not a text, or with only one of
        /// certificate and key.
        init?(_ object: JSONObject) {
            guard let roots = object["roots"]?.string,
                case .some(let chain) = object.optionalText("certificate"),
                case .some(let key) = object.optionalText("certificate_key"),
                case .some(let name) = object.optionalText("certificate_name"),
                (chain == nil) == (key == nil)
            else { return nil }
            self.roots = roots
            certificate = chain.flatMap { chain in
                key.map { CertificateFiles(chain: chain, key: $0) }
            }
            certificateName = name
        }

        /// - Parameter path: resolves a file name of the endpoints file to a path.
        /// - Throws: if a file cannot be read or is invalid.
        func security(_ path: (String) -> String) throws -> ClientSettings.Security {
            let own = certificate.map {
                CertificateFiles(chain: path($0.chain), key: path($0.key))
            }
            var security = ClientSettings.Security()
            security.tls = Reloadable(
                try ClientTLS(
                    ClientTLSFiles(certificate: own, roots: path(roots)), now: SystemTime().now()))
            security.serverName = certificateName
            return security
        }
    }
}

extension JSONObject {
    /// The text of a member, which may be null or absent. Nil for any other value.
    fileprivate func optionalText(_ name: String) -> String?? {
        switch self[name] {
        case nil, .null: .some(nil)
        case .string(let text): .some(text)
        default: nil
        }
    }
}
