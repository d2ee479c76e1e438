import Glibc
import Logging
import ServiceRuntime

extension StoreOpening {
    /// How far this machine's clock may be from the mark, or from the server's clock: several hosts
    /// write the mark, and each is ahead of others by a little.
    private static let clockApartMax: Duration = .seconds(5)
    /// The distance from the server's clock of which the operator is warned.
    private static let clockApartWarned: Duration = .seconds(1)

    /// Opens a store in a schema of a server, and keeps other instances away from it.
    func openServer(_ settings: ServerSettings, _ name: String) throws -> Opened {
        let application = "postern-\(name)/\(instance)"
        let connection = try settings.reached(as: application, time: time, logger: logger)
        try ServerCheck(connection, settings).run(logger)
        let served = ServerMetrics(name: name)
        let link = try StoreLink(
            settings, application: application, logger: logger, metrics: served)
        do {
            return try open(settings, name, connection, link, served, application)
        } catch {
            link.close()
            throw error
        }
    }

    private func open(
        _ settings: ServerSettings, _ name: String, _ connection: ServerConnection,
        _ link: StoreLink, _ served: ServerMetrics, _ application: String
    ) throws -> Opened {
        try link.requireExclusion(from: connection)
        let migrator = Migrator(connection: connection, time: time, logger: logger)
        try alone(connection, settings) { try migrator.run(StorageTables.migrations, .storage) }
        let isRestoredCopy = try connection.takePlace(of: name, settings)
        let mark = try ClockMark.read(connection)
        let clock = try self.clock(mark, connection, settings)
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

    /// A clock that agrees with that of a server on another machine is right: two clocks do not go
    /// wrong by the same. Any other is judged by the mark alone, as where the store is in a file.
    private func clock(
        _ mark: StoredMoment?, _ connection: ServerConnection, _ settings: ServerSettings
    ) throws -> ClockHold {
        let ahead = try time.wallClock() - connection.clock()
        let apart = max(ahead, .zero - ahead)
        if apart > Self.clockApartWarned, settings.durability == .full {
            logger.warning(
                "store.clock.apart",
                "the clocks of this machine and of the store's server differ: set the wrong one",
                fields: [.milliseconds: .integer(ahead.milliseconds)])
        }
        var tolerant = mark
        if let mark { tolerant?.at = mark.at - Self.clockApartMax }
        let isConfirmed = !settings.isLocal && apart <= Self.clockApartMax
        return ClockHold(
            mark: tolerant, isAccepted: acceptsClock || isConfirmed, time: time, logger: logger)
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
    /// - Throws: `StoreError.wrongServer` for the store of another service, whose tables a
    ///   migration would mix with this one's; `SQLError`.
    fileprivate func takePlace(of name: String, _ settings: ServerSettings) throws -> Bool {
        let (system, copy) = (
            "(SELECT system_identifier FROM pg_control_system())", "store_place.is_restored"
        )
        let isCopy = try queryOne(
            """
            INSERT INTO store_place (id, store, system_identifier, is_restored)
            VALUES (1, ?, \(system), 0)
            ON CONFLICT (id) DO UPDATE SET
                is_restored = CASE WHEN
                    store_place.system_identifier = excluded.system_identifier
                    THEN \(copy) ELSE 1 END,
                system_identifier = excluded.system_identifier
            WHERE store_place.store = excluded.store
            RETURNING is_restored
            """, [.text(name)]
        ) { try $0.boolean(0) }
        guard let isCopy else {
            throw StoreError.wrongServer(
                "\(settings.place) has the store of another service: set store-schema to a schema "
                    + "of this one's own")
        }
        return isCopy
    }
}
