import Glibc
import ServiceRuntime

extension StoreOpening {
    /// Opens a store in files, and locks it for this process.
    func openFile(_ place: StorePlace, _ engine: any SQLEngine) throws -> Opened {
        let location = place.location
        let lock = try StoreLock("\(place.folder)/\(place.name).lock")
        guard access("\(place.folder)/\(Store.restoring)", F_OK) != 0 else {
            throw StoreError.restoreUnfinished(folder: place.folder)
        }
        StoreSnapshot.removeCopy(place.backupCopy)
        let opened = try StoreError.opening(location) {
            let connection = try engine.openWriter(location)
            let schema = try SchemaCheck(of: connection, at: location, migrations)
            let migrator = Migrator(connection: connection, time: time, logger: logger)
            try migrator.run(StorageTables.migrations, .storage)
            let file = try StoreFile(opening: connection, location, logger: logger)
            // What the newer version has to end in a restored copy, this one does not know.
            if let newer = schema.newer, file.isRestoredCopy {
                throw StoreError.newerCopy(
                    location, component: newer.component, number: newer.number, known: newer.known)
            }
            return (
                connection: connection, migrator: migrator, mark: try ClockMark.read(connection),
                file: file
            )
        }
        // Before anything is written with a timestamp.
        let clock = ClockHold(
            mark: opened.mark, isAccepted: acceptsClock, time: time, logger: logger)
        try StoreError.opening(location) {
            try opened.migrator.run(migrations, .service)
            // A full disk must not stop a start: it delays messages until their leases are over.
            try? opened.connection.endOutboxLeases(at: time.now())
        }
        let opening = self
        let embedded = try EmbeddedStore(
            lock, limits, openReader: { try engine.openReader(location) },
            write: { opening.write($0, engine, location, clock) })
        return Opened(
            backend: embedded, isRestoredCopy: opened.file.isRestoredCopy, clock: clock,
            lastMoment: opened.mark?.at, backedUpAt: opened.file.backedUpAt)
    }

    private func write(
        _ queue: WorkQueue<WriterJob>, _ engine: any SQLEngine, _ location: String,
        _ clock: ClockHold
    ) {
        let commits = GroupCommit(
            open: { try engine.openWriter(location) }, time: time, clock: clock,
            instance: instance, logger: logger, writes: writes,
            announce: { [signal] in signal.wake() })
        var writer = StoreWriter(
            location: location, queue: queue, limits: limits, metrics: metrics,
            watchdog: watchdog, logger: logger, commits: commits)
        writer.work()
    }
}
