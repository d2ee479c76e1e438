import ServiceRuntime

/// Why a store could not be opened. Its description tells the operator what to do.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process has the store open.
    case inUse(lock: String, process: Int32?)
    /// The engine did not apply a setting that durability or erasure depends on.
    case settingNotApplied(String)
    /// A migration failed; the store is as it was before it.
    case migrationFailed(component: String, number: Int, SQLError)
    /// The store was made with another master key than the one in the file `key`.
    case otherKey(store: String, key: String)
    /// The store on a server was first used with another key than the one in the file `key`.
    case otherHostsKey(store: String, key: String)
    /// The file is a copy that was made while a program had the store open.
    case copiedWhileOpen(String)
    /// A restore into this folder was interrupted.
    case restoreUnfinished(folder: String)
    /// The file has tables, indexes, triggers or views other than the migrations make.
    case foreignSchema(String, detail: String)
    /// The file is a restored copy that a newer version has migrated.
    case newerCopy(String, component: String, number: Int, known: Int)
    /// The file is no database, or its content is damaged.
    case notAStore(String, detail: String)
    /// The file cannot be opened or read.
    case cannotOpen(String, detail: String)
    /// The server is not one that a store can rely on; says what to set.
    case wrongServer(String)

    package var description: String {
        switch self {
        case .inUse(let lock, let process):
            """
            the store is in use by \(process.map { "process \($0)" } ?? "another process") \
            (\(lock)): stop that one first, or give this one a data folder of its own
            """
        case .settingNotApplied(let setting):
            """
            the store did not take the setting \(setting): use a local disk and the SQLite library \
            of this system
            """
        case .migrationFailed(let component, let number, let error):
            """
            migration \(number) of \(component) failed and was undone (\(error.detail)): start the \
            version that ran before, or restore a backup
            """
        case .otherKey(let store, let key):
            """
            \(key) does not open \(store): start with the master key that the store was made with, \
            or move the store away to start with an empty one
            """
        case .otherHostsKey(let store, let key):
            """
            \(key) is not the key of \(store): copy the file of that name from the machine on \
            which this store was first started, and start again
            """
        case .copiedWhileOpen(let path):
            """
            \(path) is a copy that was made while its program ran, or after it was killed, so \
            commits may be missing: run `postern restore --from \(Files.folder(of: path)) \
            --data NEWFOLDER`, which checks the copy, and start with the new folder
            """
        case .restoreUnfinished(let folder):
            """
            a restore into \(folder) did not finish: run the same `postern restore` again, which \
            begins from the start
            """
        case .foreignSchema(let path, let detail):
            """
            the schema of \(path) was changed by another program (\(detail)): restore a backup \
            from before the change, or undo it with sqlite3 while the service is stopped
            """
        case .newerCopy(let path, let component, let number, let known):
            """
            \(path) is a copy that a newer version made: it has migration \(number) of \
            \(component), and this version knows \(known). Start the version that made it, or a \
            newer one
            """
        case .notAStore(let path, let detail):
            """
            \(path) is not a store or is damaged (\(detail)): restore a backup, or move the file \
            away to start with an empty store
            """
        case .wrongServer(let reason): reason
        case .cannotOpen(let path, let detail):
            """
            \(path) cannot be opened (\(detail)): check the disk, and that the file and its folder \
            belong to the user that this program runs as
            """
        }
    }
}

extension StoreError {
    /// Adds the file's name to the engine's errors while it is opened.
    static func opening<Value>(_ location: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLError where error.kind == .corrupt {
            throw StoreError.notAStore(location, detail: error.detail)
        } catch let error as SQLError {
            throw StoreError.cannotOpen(location, detail: error.detail)
        }
    }
}

/// Maps the engine's errors to those that callers should retry.
enum StoreFailure {
    /// The retry delay sent to a caller when the disk fails or is full.
    static let retryAfter: Duration = .seconds(1)

    /// A short description of a disk error for health; nil for all other errors.
    static func ofDisk(_ error: any Error) -> String? {
        guard let error = error as? SQLError else { return nil }
        return switch error.kind {
        case .busy, .full, .readOnly, .unreachable, .inputOutput: error.kind.word
        case .constraint, .corrupt, .unexpectedValue, .misuse, .other: nil
        }
    }

    /// The error for the caller: a disk error becomes `unavailable` with a retry delay; all others
    /// are returned unchanged, so that a flow can recognise a constraint violation.
    static func answer(to error: any Error) -> any Error {
        guard ofDisk(error) != nil else { return error }
        return ServiceError(
            .unavailable, retryAfter: retryAfter, unavailablePart: "store",
            detail: "store: \(error)")
    }

    /// The error for a caller that a queue refused.
    static func answer(to refusal: QueueRefusal, retryAfter: Duration) -> ServiceError {
        switch refusal {
        case .full, .ownerFull:
            ServiceError(
                .resourceExhausted, retryAfter: retryAfter, detail: "store: too many wait",
                notProcessed: true)
        case .closed:
            ServiceError(.unavailable, detail: "store: closed", notProcessed: true)
        }
    }
}
