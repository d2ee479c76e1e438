import Glibc
package import Logging
package import ServiceRuntime

extension ServerSettings {
    /// How long a start waits for a server that is not there yet, and how often it says so.
    private static let waitMax: Duration = .seconds(60)
    private static let linesEvery: Duration = .seconds(5)
    private static let retry: UInt32 = 250_000
    /// What fits into the wait. The time of tests stands still.
    private static let triesMax = 240

    /// The first connection of a start. A server that starts at the same time as this program is
    /// awaited.
    /// - Throws: `StoreError.wrongServer`, which says what to set.
    func reached(
        as application: String, time: any Time, logger: Logger
    ) throws -> ServerConnection {
        try requireOwnEnvironment()
        var (tries, waited) = (0, Duration.zero)
        let began = time.uptime()
        while true {
            do {
                return try ServerConnection(self, application: application)
            } catch let error as SQLError where error.kind == .unreachable {
                let now = time.uptime() - began
                let answer = ServerAnswer(error)
                tries += 1
                guard now < Self.waitMax, tries < Self.triesMax, answer.isPassing else {
                    throw refused(answer)
                }
                if now >= waited {
                    logger.warning(
                        "store.server.awaited", "the server of this store is not there yet",
                        fields: [.detail: .text("\(place): \(answer.text): \(answer.advice)")])
                    waited += Self.linesEvery
                }
                usleep(Self.retry)
            }
        }
    }

    /// Marks the store in this schema as a restored copy, so that the next start of its service
    /// ends what must not come back (`Store.settleRestoredCopy`). A server that was set back to an
    /// earlier moment does not differ from one that was not.
    /// - Throws: `StoreError`, for example while the service runs; `SQLError`.
    package func markRestored() throws {
        try requireOwnEnvironment()
        let connection: ServerConnection
        do {
            connection = try ServerConnection(self, application: "postern")
        } catch let error as SQLError where error.kind == .unreachable {
            throw refused(ServerAnswer(error))
        }
        guard try connection.hasTable("store_place") else {
            throw StoreError.wrongServer(
                "\(place) has no store: check the URL, and the schema's name")
        }
        // A service that runs has the lock, and would go on with what was restored.
        guard try StoreLink.take(StoreLink.key(self), connection) else {
            throw StoreError.inUse(lock: place, process: nil)
        }
        try connection.execute("UPDATE store_place SET is_restored = 1 WHERE id = 1", [])
    }

    private func refused(_ answer: ServerAnswer) -> StoreError {
        .wrongServer("the server of \(place) cannot be reached: \(answer.text): \(answer.advice)")
    }
}

extension StorePlace {
    /// Whether a service has sealed something in the store. A server is awaited as at a start.
    /// - Throws: `StoreError`, `SQLError`.
    package func hasStore(time: any Time, logger: Logger) throws -> Bool {
        switch self {
        case .folder:
            return access(location, F_OK) == 0
        case .server(let settings, _, let name):
            let connection = try settings.reached(
                as: "postern-\(name)", time: time, logger: logger)
            guard try connection.hasTable("key_check") else { return false }
            return try connection.keyCheck() != nil
        }
    }
}

extension ServerConnection {
    /// Whether the schema has this table.
    fileprivate func hasTable(_ name: String) throws -> Bool {
        try queryOne("SELECT to_regclass(?) IS NOT NULL", [.text(name)]) {
            try $0.boolean(0)
        } ?? false
    }
}

/// Why a server did not accept a connection, and what the operator can do about it. libpq has no
/// code for it, so its words decide.
struct ServerAnswer {
    /// The server's words, in one line.
    let text: String
    /// What to do.
    let advice: String
    /// Whether the server may accept a connection later, without being changed.
    let isPassing: Bool

    /// What the words mean; the first that occur.
    private static let meanings: [(words: String, isPassing: Bool, advice: String)] = [
        ("no password supplied", false, "set store-password-file"),
        (
            "password authentication failed", false,
            "the file of store-password-file must have the password of this role"
        ),
        ("pg_hba.conf", false, "allow this role and this host in pg_hba.conf"),
        ("authentication", false, "see pg_hba.conf for how this role may connect"),
        (
            "certificate", false,
            "set store-ca-file to the authority of the server's certificate, and in store-url a "
                + "host that it names"
        ),
        ("does not support SSL", false, "set ssl = on in postgresql.conf"),
        ("does not exist", false, "make the role and the database that store-url names"),
        ("read-only", true, "set store-url to the primary server"),
        (
            "too many", true,
            "raise max_connections in postgresql.conf, or lower store-connections"
        ),
        (
            "connection slots", true,
            "raise max_connections in postgresql.conf, or lower store-connections"
        ),
    ]

    /// - Parameter error: of kind `unreachable`.
    init(_ error: SQLError) {
        text = error.detail.oneLine
        let detail = error.detail
        let meaning = Self.meanings.first { detail.contains($0.words) }
        advice = meaning?.advice ?? "check store-url, and that the server runs"
        isPassing = meaning?.isPassing ?? true
    }
}
