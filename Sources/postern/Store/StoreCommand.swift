import ArgumentParser
import Cryptography
import Storage

/// `postern store`: stores on a PostgreSQL server.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Manages stores on a PostgreSQL server.",
        subcommands: [Restored.self])

    /// `postern store restored`.
    struct Restored: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Marks the stores of a server that was set back to an earlier moment.",
            discussion: """
                Run it after a restore of a base backup, to a point in time, or of a dump on the \
                same server, and before the services start. The first start then ends what may \
                have ended since: all sessions, unused links and codes, queued messages. A dump \
                that was restored on another server needs no mark.

                  postern store restored --store postgres://postern@db.example.org/postern
                  postern store restored --store private
                """)

        @OptionGroup var server: ServerOptions

        @Option(help: "The folder of `postern up`, for --store private.")
        var data = ".postern"

        @Option(
            help: ArgumentHelp(
                "Only this service's store. Default: all four.", valueName: "service"))
        var only: StoredService?

        @Option(
            help: ArgumentHelp(
                "Its schema, as store-schema of the service. Default: the service's name, with _.",
                valueName: "name"))
        var schema: String?

        func validate() throws {
            if schema != nil, only == nil {
                throw ValidationError("--schema is for one service: name it with --only")
            }
        }

        func run() throws {
            guard server.store == PrivateServer.word else { return try mark(at: nil) }
            guard PrivateServer.isIn(data) else {
                throw ToolError(
                    "\(data) has no PostgreSQL: name the folder of `postern up` with --data")
            }
            // It runs beside the programs only, and they are to be stopped.
            let own = try PrivateServer(DataFolder(data), until: StopSignals())
            defer { own.stop() }
            try mark(at: own.url)
        }

        private func mark(at url: String?) throws {
            let services = only.map { [$0] } ?? StoredService.all
            for service in services {
                let schema = schema ?? ServerSettings.schema(of: service.name)
                let settings = try server.settings(schema: schema, at: url)
                try settings.markRestored()
                Screen.line("\(service.name)  \(settings.place) is marked as restored")
            }
        }
    }
}

/// The options of a command that connects to the server of stores.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The server, as store-url of the services, or "private" for the one of `postern up`. \
            Default: POSTERN_STORE_URL.
            """, valueName: "url"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The file of the role's password. Default: POSTERN_STORE_PASSWORD_FILE.",
            valueName: "file"))
    var storePasswordFile: String?

    @Option(
        help: ArgumentHelp(
            """
            The authority of the server's certificate. Default: POSTERN_STORE_CA_FILE, or those of \
            the system.
            """, valueName: "file"))
    var storeCaFile: String?

    /// How a store's schema is reached.
    /// - Parameter url: the server, where it is not the one of the option.
    /// - Throws: `StoreError` for a URL that cannot be used; `SecretFileError`; `ValidationError`.
    func settings(schema: String, at url: String? = nil) throws -> ServerSettings {
        guard let url = url ?? store ?? EnvironmentVariable.value(EnvironmentVariable.storeURL)
        else {
            throw ValidationError("say where the stores are: --store URL")
        }
        var settings = try ServerSettings(url: url, schema: schema)
        if let file = storePasswordFile ?? EnvironmentVariable.value("POSTERN_STORE_PASSWORD_FILE")
        {
            settings.password = try SecretFile.readLine(file)
        }
        if let file = storeCaFile ?? EnvironmentVariable.value("POSTERN_STORE_CA_FILE") {
            settings.certificates = file
        }
        return settings
    }
}
