import Glibc
import Logging
import ServiceRuntime

extension StoreOpening {
    /// How long a start waits for a server that is not there yet, and how often it says so.
    private static let waitMax: Duration = .seconds(60)
    private static let linesEvery: Duration = .seconds(5)
    /// How far this machine's clock may be from the mark, or from the server's clock: several hosts
    /// write the mark, and each is ahead of others by a little.
    private static let clockApartMax: Duration = .seconds(5)
    private static let retry: UInt32 = 250_000

    /// Opens a store in a schema of a server, and keeps other instances away from it.
    func openServer(_ settings: ServerSettings, _ name: String) throws -> Opened {
        try settings.requireOwnEnvironment()
        let application = "postern-\(name)/\(instance)"
        let connection = try reached(settings, application)
        try ServerCheck(connection, settings).run(logger)
        let served = ServerMetrics(name: name)
        let link = try StoreLink(
            settings, application: application, logger: logger, metrics: served)
        do {
            return try open(settings, connection, link, served, application)
        } catch {
            link.close()
            throw error
        }
    }

    private func open(
        _ settings: ServerSettings, _ connection: ServerConnection, _ link: StoreLink,
        _ served: ServerMetrics, _ application: String
    ) throws -> Opened {
        try link.requireExclusion(from: connection)
        let migrator = Migrator(connection: connection, time: time, logger: logger)
        try alone(connection, settings) { try migrator.run(StorageTables.migrations, .storage) }
        let isRestoredCopy = try connection.takePlace()
        let mark = try ClockMark.read(connection)
        let clock = try self.clock(mark, connection)
        try alone(connection, settings) { try migrator.run(migrations, .service) }
        let clockMark = ServerClockMark(time: time, clock: clock)
        let (opening, signal) = (self, signal)
        let backend = try ServerStore(settings, limits, link) {
            ServerWorker(
                open: { try ServerConnection(settings, application: application) },
                time: opening.time, instance: opening.instance, logger: opening.logger,
                metrics: opening.metrics, served: served, writes: opening.writes,
                mark: clockMark, link: link, announce: { signal.wake() })
        }
        return Opened(
            backend: backend, isRestoredCopy: isRestoredCopy, clock: clock, lastMoment: mark?.at,
            backedUpAt: nil)
    }

    private func clock(_ mark: StoredMoment?, _ connection: ServerConnection) throws -> ClockHold {
        let server = try connection.clock()
        let apart = time.wallClock() - server
        let isServers = apart <= Self.clockApartMax && apart >= .zero - Self.clockApartMax
        var tolerant = mark
        if let mark { tolerant?.at = mark.at - Self.clockApartMax }
        return ClockHold(
            mark: tolerant, isAccepted: acceptsClock || isServers, time: time, logger: logger)
    }

    /// The first connection. A server that starts at the same time as this program is awaited.
    private func reached(
        _ settings: ServerSettings, _ application: String
    ) throws -> ServerConnection {
        var waited: Duration = .zero
        let began = time.uptime()
        while true {
            do {
                return try ServerConnection(settings, application: application)
            } catch let error as SQLError where error.kind == .unreachable {
                let now = time.uptime() - began
                guard now < Self.waitMax, error.isPassing else {
                    throw StoreError.wrongServer(
                        "the server of \(settings.place) cannot be reached: \(error.detail)")
                }
                if now >= waited {
                    logger.warning(
                        "store.server.awaited", "the server of this store is not there yet",
                        fields: [.detail: .error(error)])
                    waited += Self.linesEvery
                }
                usleep(Self.retry)
            }
        }
    }

    /// Runs a migration while no other instance does.
    private func alone(
        _ connection: ServerConnection, _ settings: ServerSettings, _ body: () throws -> Void
    ) throws {
        let key = SQLValue.integer(SubjectLocks(schema: settings.schema).key("migration"))
        var isTaken = false
        while !isTaken {
            do {
                _ = try connection.query("SELECT pg_advisory_lock(?)", [key]) { $0 }
                isTaken = true
            } catch let error as SQLError where error.kind == .busy {
                logger.info("store.migration.awaited", "another instance migrates this store")
            }
        }
        try body()
        _ = try connection.query("SELECT pg_advisory_unlock(?)", [key]) { $0 }
    }
}

extension SQLError {
    /// Whether a server may be there later: not one that refuses this role or database.
    fileprivate var isPassing: Bool {
        ![
            "authentication", "does not exist", "certificate", "password", "pg_hba.conf",
            "does not support SSL",
        ].contains { detail.contains($0) }
    }
}

extension ServerConnection {
    /// The server's clock.
    fileprivate func clock() throws -> Timestamp {
        let milliseconds = try queryOne(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
        ) { try $0.integer(0) }
        return Timestamp(milliseconds: milliseconds ?? 0)
    }

    /// Compares the server with the one of the last start. A schema that was dumped there and
    /// restored here is a restored copy.
    /// - Returns: whether it is one that its service has not settled yet.
    fileprivate func takePlace() throws -> Bool {
        let (system, copy) = (
            "(SELECT system_identifier FROM pg_control_system())", "store_place.is_restored"
        )
        return try queryOne(
            """
            INSERT INTO store_place (id, system_identifier, is_restored) VALUES (1, \(system), 0)
            ON CONFLICT (id) DO UPDATE SET
                is_restored = CASE WHEN
                    store_place.system_identifier = excluded.system_identifier
                    THEN \(copy) ELSE 1 END,
                system_identifier = excluded.system_identifier
            RETURNING is_restored
            """
        ) { try $0.boolean(0) } ?? false
    }
}
