import Glibc
import Logging
import ServiceRuntime
import Synchronization

/// The connection by which an instance shows that it has the store: it holds the store's lock,
/// which the server frees when the connection ends.
///
/// One instance at a time has a store. While this one does not hold the lock, because the server is
/// away or another instance has taken it, no flow begins. A flow that has begun may end after that;
/// the locks of its subjects keep it right beside another instance's.
final class StoreLink: Sendable {
    private static let interval: Duration = .milliseconds(500)

    private let settings: ServerSettings
    private let application: String
    private let key: Int64
    private let logger: Logger
    private let isHeld = Atomic(true)
    private let monitor = Monitor()
    private let isClosed = Atomic(false)
    private let thread = Mutex<OSThread?>(nil)

    /// Takes the lock.
    /// - Throws: `StoreError.inUse`, `SQLError`.
    init(_ settings: ServerSettings, application: String, logger: Logger) throws {
        self.settings = settings
        self.application = application
        self.logger = logger
        key = Self.key(settings)
        let connection = Handed(try Self.connect(settings, application, key))
        let thread = try OSThread { [self] in keep(connection.connection) }
        self.thread.withLock { $0 = thread }
    }

    /// Requires that another connection cannot take the lock too. On a server whose locks do not
    /// exclude, or behind a pooler that shares connections, two flows about one account would
    /// overlap.
    /// - Throws: `StoreError.wrongServer`, `SQLError`.
    func requireExclusion(from other: ServerConnection) throws {
        guard try Self.take(key, other) else { return }
        throw StoreError.wrongServer(
            "two connections hold one advisory lock at \(settings.place): this is no PostgreSQL, "
                + "or a pooler is in front of it; set store-url to the server itself")
    }

    /// - Throws: `SQLError` of kind `unreachable` while the lock is not held.
    func requireHeld() throws {
        guard !isHeld.load(ordering: .relaxed) else { return }
        throw SQLError(.unreachable, detail: "this instance does not hold \(settings.place)")
    }

    /// Frees the lock. Blocks its thread until that is done.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        monitor.locked { monitor.broadcast() }
        thread.withLock { $0 }?.join()
    }

    private func keep(_ first: ServerConnection) {
        var connection: ServerConnection? = first
        while rest() {
            do {
                if let connection {
                    _ = try connection.query("SELECT 1") { $0 }
                } else {
                    connection = try Self.connect(settings, application, key)
                    isHeld.store(true, ordering: .relaxed)
                    logger.warning("store.link.recovered", "this instance has the store again")
                }
            } catch {
                connection = nil
                if isHeld.exchange(false, ordering: .relaxed) {
                    logger.error(
                        "store.link.lost", "the connection that holds the store was lost",
                        fields: [.detail: .error(error)])
                }
            }
        }
    }

    /// - Returns: whether to go on.
    private func rest() -> Bool {
        let until = Monitor.moment(in: Self.interval)
        return monitor.locked {
            while !isClosed.load(ordering: .relaxed), monitor.wait(until: until) {}
            return !isClosed.load(ordering: .relaxed)
        }
    }

    private static func connect(
        _ settings: ServerSettings, _ application: String, _ key: Int64
    ) throws -> ServerConnection {
        let connection = try ServerConnection(settings, application: application)
        guard try take(key, connection) else {
            throw StoreError.inUse(lock: settings.place, process: nil)
        }
        return connection
    }

    /// The key of the store's lock.
    static func key(_ settings: ServerSettings) -> Int64 {
        SubjectLocks(schema: settings.schema).key("store")
    }

    /// Takes the lock until the connection ends.
    /// - Returns: false while another connection has it.
    /// - Throws: `SQLError`.
    static func take(_ key: Int64, _ connection: ServerConnection) throws -> Bool {
        try connection.queryOne("SELECT pg_try_advisory_lock(?)", [.integer(key)]) {
            try $0.boolean(0)
        } ?? false
    }

    /// `@unchecked Sendable`: handed to one thread.
    private struct Handed: @unchecked Sendable {
        let connection: ServerConnection

        init(_ connection: ServerConnection) { self.connection = connection }
    }
}
