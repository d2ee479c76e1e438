import Contracts
import Cryptography
import Hosting
import IdentityAssembly
import IdentityService
import JSON
import Messages
import NotificationService
import RPC
import RateLimitService
import ServiceRuntime
import SessionService
import Storage
import TestSupport
import Testing

@testable import postern

/// A service's store with its audit trail, and `postern audit verify` in process.
struct TrailStore {
    static let kept = Duration.seconds(30 * 86_400)
    /// The columns of the two tables, in whose order `Tables` has them.
    static let records = [
        "number", "at_ms", "kind", "account", "session", "subject", "client_address", "device",
        "outcome", "attempt", "actor", "app", "detail", "country", "agent",
    ]
    static let links = [
        "last_position", "first_position", "records", "digest", "link", "trail", "form", "at_ms",
    ]

    /// All rows of the trail.
    struct Tables: Hashable, Sendable {
        var records: [[SQLValue]]
        var links: [[SQLValue]]
    }

    /// A service with a trail.
    enum Service: String, CaseIterable, Sendable {
        case identity, session, rateLimit, notification

        /// The tables of its store beside those of every store.
        fileprivate var migrations: [Migration] {
            switch self {
            case .identity: IdentityTables.migrations
            case .session: SessionTables.migrations
            case .rateLimit: RateLimitTables.migrations
            case .notification: NotificationStore.migrations
            }
        }
    }

    let folder: TemporaryFolder
    let time: ManualTime
    let store: Store

    /// - Parameter service: whose tables the store has; nil for those of every store alone.
    init(
        _ name: String = "entries", of service: Service? = nil, in folder: TemporaryFolder? = nil,
        time: ManualTime = ManualTime()
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.time = time
        store = try TestStore.open(
            name, service?.migrations ?? [], in: self.folder.path,
            auditTrail: try .test(keptFor: Self.kept), time: time)
    }

    /// Records of all columns, some of them empty.
    func write(_ count: Int, from first: Int) async throws {
        try await store.write(about: []) { transaction in
            for number in first..<first + count {
                var event = AuditEvent(
                    .signInFailed, account: Int64(number), session: Int64(number),
                    subject: [UInt8(number & 255)], clientAddress: [1], device: [2],
                    outcome: .invalidCredential, attempt: Int64(number),
                    detail: .method("password"))
                event.actor = "tool/ann"
                event.app = number.isMultiple(of: 2) ? "shop" : nil
                event.country = "DE"
                event.agent = "firefox 131, linux"
                try transaction.audit(event)
            }
        }
    }

    /// What the duties of a service do when some time has passed.
    func pass(_ duration: Duration) async {
        time.advance(by: duration)
        let duties = Duties(of: store, purging: [], [], time: time)
        let work = Task { await duties.run() }
        // The purge, the chain and the retention have nothing more to do.
        await time.sleepers(3)
        work.cancel()
        await work.value
    }

    /// An hour with some spans, its head, and the head's link.
    func hour(from first: Int) async throws {
        for part in 0..<3 {
            try await write(4, from: first + part * 4)
            await pass(.seconds(60))
        }
        await pass(.seconds(3_600))
        await pass(.seconds(60))
    }

    /// What `postern audit verify` finds.
    func findings(_ witness: TrailWitness = TrailWitness()) async throws -> [TrailReport.Finding] {
        var (report, request) = (TrailReport(of: "entries"), EventsV1.VerifyTrailRequest())
        while true {
            let part = try await feed.verifyTrail(request, context)
            report.add(part)
            if part.isWhole || part.broken != nil { break }
            (request.fromPosition, request.link) = (part.position, part.link)
        }
        let key = try Ed25519VerifyingKey(bytes: try await key().publicKey)
        return report.findings(witness.statements(signedBy: key))
    }

    private var feed: EventFeed { EventFeed(store: store, time: time) }

    private var context: CallContext {
        CallContext(application: "tool", deadline: time.uptime() + .seconds(60))
    }

    /// What `postern audit keys` asks for.
    func key() async throws -> EventsV1.ShowTrailKeyResponse {
        try await feed.showTrailKey(.init(), context)
    }

    /// The entries of some kinds, or all.
    func events(_ kinds: [String] = []) async throws -> [EventsV1.Event] {
        try await feed.readEvents(.init(kinds: kinds), context).events
    }

    /// The positions that the trail's heads name.
    func headPositions() async throws -> [Int64] {
        try await store.number(.audit)
        return try await store.read { session in
            try session.query(
                "SELECT attempt FROM audit WHERE kind = 'audit.head' ORDER BY number"
            ) { try $0.integer(0) }
        }
    }

    /// The heads that the trail has now, as lines of `audit watch`.
    func witness() async throws -> TrailWitness {
        var witness = TrailWitness()
        for event in try await events(["audit.head"]) {
            witness.take(JSONWriter.bytes(event.row(of: "entries").json, .shown))
        }
        return witness
    }

    func tables() async throws -> Tables {
        try await store.number(.audit)
        return try await store.read { session in
            Tables(
                records: try session.query(
                    "SELECT \(Self.records.joined(separator: ", ")) FROM audit ORDER BY number"
                ) { $0.values },
                links: try session.query(
                    """
                    SELECT \(Self.links.joined(separator: ", ")) FROM audit_link
                    ORDER BY last_position
                    """
                ) { $0.values })
        }
    }

    /// Replaces the trail, as somebody who can write the store may.
    func set(_ tables: Tables) async throws {
        try await store.writeUnchecked { transaction in
            for (table, columns, rows) in [
                ("audit", Self.records, tables.records), ("audit_link", Self.links, tables.links),
            ] {
                _ = try transaction.execute("DELETE FROM \(table)")
                let marks = columns.map { _ in "?" }.joined(separator: ", ")
                for row in rows {
                    let names = columns.joined(separator: ", ")
                    _ = try transaction.execute(
                        "INSERT INTO \(table) (\(names)) VALUES (\(marks))", row)
                }
            }
        }
    }
}
