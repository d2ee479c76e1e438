import CPostgreSQL
package import Cryptography
import Glibc
import ServiceRuntime

/// Where a server's store is, and how it is reached.
package struct ServerSettings: Sendable {
    /// The hosts, or the folder of a socket, as libpq lists several: with commas.
    package let hosts: String
    /// The ports, in the same order; one is for all hosts.
    package let ports: String
    /// The database.
    package let database: String
    /// The role.
    package let user: String
    /// The schema of the store's tables.
    package let schema: String
    /// The role's password; nil where the server asks for none.
    package var password: SecretBytes?
    /// The file of the certificates that a server's must lead to.
    package var certificates = Self.systemCertificates
    /// Connections, and threads, for flows and queries.
    package var connections = 10
    /// Whether a server without a synchronous standby is refused.
    package var needsStandby = false
    /// What a commit waits for.
    package var durability = Durability.full

    /// What a commit waits for.
    package enum Durability: Sendable {
        /// The server's disk. The only choice for programs.
        case full
        /// Nothing: for tests.
        case noneForTests
    }

    /// The authorities that Debian trusts.
    package static let systemCertificates = "/etc/ssl/certs/ca-certificates.crt"

    /// The schema of a service where no setting names one. It has no hyphen, so that SQL needs no
    /// quotes for it.
    package static func schema(of service: String) -> String {
        service.replacing("-", with: "_")
    }

    /// The parts of a URL that people set: no password, which has a file of its own, and no other
    /// options, which would weaken what this program relies on.
    private static let optionsOfURL: Set<String> = ["host", "port", "dbname", "user"]

    /// The server of a URL, `postgres://USER@HOST[:PORT][,HOST…]/DATABASE`; a socket's folder is
    /// `?host=/FOLDER`.
    /// - Throws: `StoreError.wrongServer`.
    package init(url: String, schema: String) throws(StoreError) {
        let isURL = ["postgres://", "postgresql://"].contains { url.hasPrefix($0) }
        guard isURL, let options = PQconninfoParse(url, nil) else {
            throw .wrongServer(
                "the setting store-url is no URL of the form postgres://USER@HOST/DATABASE")
        }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var next = options
        while let key = next.pointee.keyword {
            if let value = next.pointee.val { found[String(cString: key)] = String(cString: value) }
            next += 1
        }
        guard found["password"] == nil else {
            throw .wrongServer(
                "the URL in store-url has a password: put it into a file, and name that in "
                    + "store-password-file")
        }
        if let other = found.keys.sorted().first(where: { !Self.optionsOfURL.contains($0) }) {
            throw .wrongServer("remove \(other) from the URL in store-url")
        }
        guard Self.isSchema(schema) else {
            throw .wrongServer(
                "store-schema is 1 to 63 lower-case letters, digits and _, and begins with a "
                    + "letter, not with pg_")
        }
        guard let hosts = found["host"], let database = found["dbname"], let user = found["user"]
        else {
            throw .wrongServer("the URL in store-url must name a host, a database and a user")
        }
        (self.hosts, self.database, self.user, self.schema) = (hosts, database, user, schema)
        ports = found["port"] ?? "5432"
    }

    private static func isSchema(_ name: String) -> Bool {
        // PostgreSQL truncates a longer one, and names with pg_ are its own.
        name.isName(1...63, [.lower, .digit], marks: "_") && name.prefix(1).isName(1...1, .lower)
            && !name.hasPrefix("pg_")
    }

    /// For people: the schema and its server.
    package var place: String { "the schema \(schema) of \(database) at \(hosts)" }

    /// Whether all hosts are sockets or the loopback of this machine, where no connection can be
    /// intercepted.
    var isLocal: Bool {
        hosts.split(separator: ",").allSatisfy {
            $0.hasPrefix("/") || ["localhost", "127.0.0.1", "::1"].contains($0)
        }
    }

    /// A connection to the schema beside those of its store.
    /// - Throws: `SQLError` of kind `unreachable`.
    package func connection(application: String) throws -> any SQLConnection {
        try ServerConnection(self, application: application)
    }

    /// Variables by which libpq would change where a program connects, and how, and which no
    /// parameter overrides.
    private static let variables = [
        "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGHOSTADDR", "PGOPTIONS", "PGREQUIREPEER",
        "PGSSLCERT", "PGSSLKEY", "PGSSLCRL", "PGSSLCRLDIR", "PGREQUIREAUTH", "PGCHANNELBINDING",
    ]

    /// Requires an environment that does not change where this program connects.
    /// - Throws: `StoreError.wrongServer`.
    func requireOwnEnvironment() throws(StoreError) {
        for name in Self.variables where getenv(name) != nil {
            throw .wrongServer(
                "the environment variable \(name) would change the connection to the server: "
                    + "unset it")
        }
    }

    /// Every parameter of a connection that libpq would otherwise take from somebody's environment
    /// or files.
    func parameters(application: String) -> KeyValuePairs<String, String> {
        [
            "host": hosts, "port": ports, "dbname": database, "user": user,
            "password": password.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } ?? "",
            "passfile": "/dev/null/none", "application_name": application,
            "client_encoding": "UTF8",
            "sslmode": isLocal ? "prefer" : "verify-full", "sslrootcert": certificates,
            "gssencmode": "disable", "target_session_attrs": "read-write", "connect_timeout": "2",
            "keepalives": "1", "keepalives_idle": "5", "keepalives_interval": "2",
            "keepalives_count": "3", "tcp_user_timeout": "5000",
        ]
    }

    /// What each session is told: no wait without an end, and no life after its client's.
    var session: String {
        """
        SET search_path TO \(quotedSchema); SET lock_timeout TO '2s';
        SET idle_in_transaction_session_timeout TO '2s';
        SET client_connection_check_interval TO '1s'; SET client_min_messages TO warning
        """
    }

    /// The schema as an identifier of SQL. Its name may be one of PostgreSQL's words, and has no
    /// quotes itself.
    var quotedSchema: String { "\"\(schema)\"" }
}
