import Cryptography
import ServiceRuntime
package import Storage

/// Where a program has its store: in files of its data folder, or on a PostgreSQL server.
package struct StoreSettings: Sendable {
    /// The server, without the role's password; nil for files.
    package private(set) var server: ServerSettings?
    /// The file of the role's password.
    package private(set) var passwordFile: String?

    /// Files.
    init() {}

    init(reading settings: inout SettingsReader, _ program: ProgramDescription) {
        let url = settings.optionalString(
            "store-url", unit: "URL",
            reason: "The PostgreSQL server of the store, postgres://ROLE@HOST[,HOST]/DATABASE, "
                + "without a password; not set: files in data-folder.")
        passwordFile = settings.optionalPath(
            "store-password-file", use: .secret,
            reason: "The file with the password of the role in store-url.")
        var certificates = ServerSettings.systemCertificates
        settings.path(
            "store-ca-file", &certificates, use: .input,
            reason: "The authorities, one of which has signed the server's certificate. Beyond "
                + "this machine a connection needs it.")
        var schema = ServerSettings.schema(of: program.application)
        settings.string(
            "store-schema", &schema, unit: "name",
            reason: "The schema of the store's tables; each service needs one of its own.")
        var connections = program.storeConnections
        settings.integer(
            "store-connections", &connections, in: 2...100, unit: "connections",
            reason: "For flows and queries, with a thread each; one more keeps others away. Stay "
                + "below max_connections of the server, all services together.")
        var needsStandby = false
        settings.boolean(
            "store-needs-standby", &needsStandby,
            reason: "Refuses a server without a synchronous standby.")
        guard let url else { return }
        do throws(StoreError) {
            var server = try ServerSettings(url: url, schema: schema)
            server.certificates = certificates
            server.connections = connections
            server.needsStandby = needsStandby
            self.server = server
        } catch {
            settings.require(false, ["store-url"], error.description)
        }
    }

    /// The place of the store `name`, whose service has its files in `folder`.
    /// - Throws: `SecretFileError` for the file of the password.
    func place(of name: String, folder: String) throws -> StorePlace {
        guard var server else { return .folder(folder, name: name) }
        server.password = try passwordFile.map { try SecretFile.readLine($0) }
        return .server(server, folder: folder, name: name)
    }
}
