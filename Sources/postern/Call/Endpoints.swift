import Cryptography
import Glibc
import JSON
import RPC
import ServiceRuntime

/// The content of `endpoints.json`: the address of each service, and the keys to call them with.
struct Endpoints {
    static let defaultPath = ".postern/endpoints.json"
    /// In the order of their ports.
    static let services = ["gateway", "identity", "session", "rate-limit", "notification"]

    private struct Application {
        let id: String
        /// A key file, or a folder from which the newest key of `id` is used, so that a rotation
        /// needs no change here. Absent if the certificate names the application.
        let secretFile: String?

        /// Nil for an object without `id`, or with a value that is not a text.
        init?(_ object: JSONObject) {
            guard let id = object["id"]?.string,
                case .some(let secretFile) = object.optionalText("secret_file")
            else { return nil }
            self.id = id
            self.secretFile = secretFile
        }
    }

    private let folder: String
    private let path: String
    private let addresses: [String: ServiceAddress]
    private let metrics: [String: ServiceAddress]
    private let application: Application
    private let admin: Application
    /// Absent if the services do not use TLS.
    private let tls: EndpointTLS?

    init(_ path: String) throws {
        guard let bytes = try? TextFile.read(path) else { throw ToolError.noEndpoints(path) }
        guard let values = JSONReader.object(in: bytes).flatMap(Self.values),
            case .application(let application) = values["application"]
        else { throw ToolError.badEndpoints(path) }
        self.path = path
        folder =
            path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        addresses = values.compactMapValues { value in
            if case .address(let text) = value { ServiceAddress(text) } else { nil }
        }
        if case .addresses(let texts) = values["metrics"] {
            metrics = texts.compactMapValues { ServiceAddress($0) }
        } else {
            metrics = [:]
        }
        self.application = application
        if case .application(let admin) = values["admin"] {
            self.admin = admin
        } else {
            admin = application
        }
        tls = try values["tls"].map { value in
            // An unreadable `tls` must not lead to calls without TLS.
            guard case .tls(let tls) = value, tls.isWhole else {
                throw ToolError.badEndpoints(path)
            }
            return tls
        }
    }

    /// Asks all programs concurrently, so that stopped ones cost one timeout in total.
    /// - Returns: the answers by service, without those that are nil.
    static func ofEach<Answer: Sendable>(
        _ ask: @escaping @Sendable (String) async -> Answer?
    ) async -> [String: Answer] {
        await withTaskGroup(of: (String, Answer?).self) { group in
            for service in services { group.addTask { (service, await ask(service)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// The address of a service's metrics; nil if the file has none.
    func metrics(of service: String) -> ServiceAddress? { metrics[service] }

    /// The client settings for a service: the gateway is called as the application, the others as
    /// the operator's tool.
    func client(
        of service: String, connectTimeout: Duration = .seconds(2)
    ) throws -> ClientSettings {
        guard let address = addresses[service] else { throw ToolError.unknownService(service) }
        let caller = service == "gateway" ? application : admin
        let key = try key(of: caller)
        var settings = ClientSettings(
            service: "postern.\(service)", host: address.host, port: address.port,
            application: caller.id, keyID: key?.keyID ?? "", secret: key?.key,
            connectTimeout: connectTimeout)
        settings.security = try tls?.security(inFolder) ?? ClientSettings.Security()
        return settings
    }

    private func key(of caller: Application) throws -> ApplicationKey? {
        guard let file = caller.secretFile else {
            guard tls?.certificate != nil else { throw ToolError.badEndpoints(path) }
            return nil
        }
        let key = try ApplicationKey(file: keyFile(inFolder(file), of: caller.id))
        guard key.application == caller.id else {
            throw ToolError.badInput("\(path): \(file) is not a key of \(caller.id)")
        }
        return key
    }

    private func keyFile(_ path: String, of application: String) throws -> String {
        var status = stat()
        // The reader of the file reports that it does not exist.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return path }
        guard
            let file = try ApplicationKey.currentFile(
                of: application, in: path, now: SystemTime().now())
        else { throw ToolError.badInput("\(self.path): \(path) has no key of \(application)") }
        return file
    }

    /// Resolves a file name relative to the endpoints file.
    private func inFolder(_ file: String) -> String {
        file.hasPrefix("/") ? file : "\(folder)/\(file)"
    }

    private enum Value {
        case address(String)
        case addresses([String: String])
        case application(Application)
        case tls(EndpointTLS)

        /// Nil for a value of none of the four shapes.
        init?(_ value: JSONValue) {
            if let text = value.string {
                self = .address(text)
                return
            }
            guard let object = value.object else { return nil }
            if let application = Application(object) {
                self = .application(application)
            } else if let tls = EndpointTLS(object) {
                self = .tls(tls)
            } else {
                var addresses: [String: String] = [:]
                for member in object.members {
                    guard let text = member.value.string else { return nil }
                    addresses[member.name] = text
                }
                self = .addresses(addresses)
            }
        }
    }

    /// Nil if any value has none of the four shapes.
    private static func values(_ object: JSONObject) -> [String: Value]? {
        var values: [String: Value] = [:]
        for member in object.members {
            guard let value = Value(member.value) else { return nil }
            values[member.name] = value
        }
        return values
    }
}

/// The tool's TLS files, as `tls` in `endpoints.json` names them:
///
///     roots              the CA certificates of the services' certificates
///     certificate        the tool's own certificate, for services that require one
///     certificate_key    its private key
///     certificate_name   the name in the services' certificates, if it is not the host
struct EndpointTLS {
    let roots: String
    let certificate: String?
    let certificateKey: String?
    let certificateName: String?

    /// Nil for an object without `roots`, or with a value that is not a text.
    init?(_ object: JSONObject) {
        guard let roots = object["roots"]?.string,
            case .some(let certificate) = object.optionalText("certificate"),
            case .some(let certificateKey) = object.optionalText("certificate_key"),
            case .some(let certificateName) = object.optionalText("certificate_name")
        else { return nil }
        self.roots = roots
        self.certificate = certificate
        self.certificateKey = certificateKey
        self.certificateName = certificateName
    }

    /// A certificate and its key are given together or not at all.
    var isWhole: Bool { (certificate == nil) == (certificateKey == nil) }

    /// - Parameter path: resolves a file name of the endpoints file to a path.
    /// - Throws: if a file cannot be read or is invalid.
    func security(_ path: (String) -> String) throws -> ClientSettings.Security {
        let own = certificate.flatMap { chain in
            certificateKey.map { CertificateFiles(chain: path(chain), key: path($0)) }
        }
        var security = ClientSettings.Security()
        security.tls = Reloadable(
            try ClientTLS(
                ClientTLSFiles(certificate: own, roots: path(roots)), now: SystemTime().now()))
        security.serverName = certificateName
        return security
    }
}

extension JSONObject {
    /// The text of a member, which may be null or absent. Nil for any other value.
    func optionalText(_ name: String) -> String?? {
        switch self[name] {
        case nil, .null: .some(nil)
        case .string(let text): .some(text)
        default: nil
        }
    }
}
