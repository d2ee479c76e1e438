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
///
/// A process that is stopped, or whose host has vanished, says nothing to the server, which then
/// ends this connection, so that another instance can take the store. The stopped one may wake
/// before it learns that. So the age of the server's last answer counts too.
final class StoreLink: Sendable {
    private static let interval: Duration = .milliseconds(500)
    /// When the server ends this connection because nothing came by it.
    private static let session = "SET idle_session_timeout TO '5s'"
    /// How old the server's last answer may be: less than that.
    private static let answerAgeMax: Duration = .seconds(4)
    /// How often a start tries to take the lock, and after how many microseconds again.
    private static let startTries = 10
    private static let startRetry: UInt32 = 50_000

    private let settings: ServerSettings
    private let application: String
    private let key: Int64
    private let logger: Logger
    private let metrics: ServerMetrics
    private let isHeld = Atomic(true)
    /// When the statement was sent that the server answered last, by `bootTime`.
    private let answeredAt = Atomic<UInt64>(0)
    private let monitor = Monitor()
    private let isClosed = Atomic(false)
    private let thread = Mutex<OSThread?>(nil)

    /// Takes the lock.
    /// - Throws: `StoreError.inUse`, `SQLError`.
    init(
        _ settings: ServerSettings, application: String, logger: Logger, metrics: ServerMetrics
    ) throws {
        self.settings = settings
        self.application = application
        self.logger = logger
        self.metrics = metrics
        key = Self.key(settings)
        let asked = Self.bootTime
        let connection = Handed(try Self.connectAfterOthers(settings, application, key))
        answeredAt.store(asked, ordering: .relaxed)
        metrics.setLink(isUp: true)
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
        let (now, answered) = (Self.bootTime, answeredAt.load(ordering: .relaxed))
        let isRecent = Duration.nanoseconds(now - min(now, answered)) < Self.answerAgeMax
        guard isHeld.load(ordering: .relaxed), isRecent else {
            throw SQLError(.unreachable, detail: "this instance does not hold \(settings.place)")
        }
    }

    /// Nanoseconds since the machine started, which pass while it sleeps.
    private static var bootTime: UInt64 { SystemTime.read(CLOCK_BOOTTIME).nanoseconds }

    /// Frees the lock. Blocks its thread until that is done.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        monitor.locked { monitor.broadcast() }
        thread.withLock { $0 }?.join()
    }

    private func keep(_ first: ServerConnection) {
        var connection: ServerConnection? = first
        while rest() {
            let asked = Self.bootTime
            do {
                if let connection {
                    _ = try connection.query("SELECT 1") { $0 }
                    answeredAt.store(asked, ordering: .relaxed)
                } else {
                    connection = try Self.connect(settings, application, key)
                    answeredAt.store(asked, ordering: .relaxed)
                    isHeld.store(true, ordering: .relaxed)
                    metrics.setLink(isUp: true)
                    logger.warning("store.link.recovered", "this instance has the store again")
                }
            } catch {
                connection = nil
                if isHeld.exchange(false, ordering: .relaxed) {
                    metrics.setLink(isUp: false)
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
        try connection.run(script: session)
        return connection
    }

    /// As `connect`, at a start: the server may take some milliseconds to notice that the instance
    /// before, which was killed, is gone.
    private static func connectAfterOthers(
        _ settings: ServerSettings, _ application: String, _ key: Int64
    ) throws -> ServerConnection {
        for _ in 1..<startTries {
            do {
                return try connect(settings, application, key)
            } catch StoreError.inUse {
                usleep(startRetry)
            }
        }
        return try connect(settings, application, key)
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
