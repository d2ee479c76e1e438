import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

/// A store whose audit trail is linked, cut and verified when a test says so.
struct TrailFixture {
    let folder: TemporaryFolder
    let time: ManualTime
    let store: Store
    let log: CapturedLog
    private let trail: AuditTrail

    init(
        _ name: String = "entries", in folder: TemporaryFolder? = nil,
        time: ManualTime = ManualTime(), keptFor retention: Duration? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.time = time
        log = CapturedLog()
        trail = try .test(keptFor: retention)
        store = try TestStore.open(
            name, Entries.migrations, in: self.folder.path, auditTrail: trail, time: time,
            logger: log.logger())
    }

    var linking: AuditLinking { AuditLinking(store: store, trail: trail, time: time) }

    func write(_ count: Int, _ kind: AuditKind = .signInFailed) async throws {
        try await store.write(about: []) { transaction in
            for number in 0..<count {
                try transaction.audit(AuditEvent(kind, attempt: Int64(number)))
            }
        }
        try await store.number(.audit)
    }

    /// Some records, and their link.
    func linked(_ count: Int) async throws {
        try await write(count)
        time.advance(by: AuditLinking.interval)
        try await link()
    }

    /// All that the duty does now.
    func link() async throws { while try await linking.step() {} }

    /// An hour passes, and has its head, also with a link.
    func hour() async throws {
        time.advance(by: .seconds(3_600))
        try await link()
        time.advance(by: AuditLinking.interval)
        try await link()
    }

    /// All that the retention does now.
    func cut() async throws {
        let retention = AuditRetention(store: store, trail: trail, time: time)
        while try await retention.step() {}
    }

    /// The parts of the trail until its end, or until something is not what was linked.
    func verify() async throws -> [TrailVerification.Part] {
        let verification = try TrailVerification(of: store, time: time)
        var parts: [TrailVerification.Part] = []
        while true {
            let last = parts.last
            let part = try await verification.part(
                after: last?.position ?? 0, link: last?.link ?? [])
            parts.append(part)
            if part.isWhole || part.broken != nil { return parts }
        }
    }

    /// Whether all is what was linked, and how many records have no link yet.
    func expectWhole(_ records: Int64, uncovered: Int64 = 0) async throws {
        let parts = try await verify()
        #expect(parts.last?.broken == nil)
        #expect(parts.reduce(0) { $0 + $1.records } == records)
        #expect(parts.last?.uncovered == uncovered)
    }

    func links() async throws -> [TrailLink] {
        try await store.read { try $0.links(after: .min, limit: 1_000) }
    }

    /// The positions of the records of a kind.
    func positions(_ kind: AuditKind) async throws -> [Int64] {
        try await store.number(.audit)
        return try await store.read { session in
            try session.query(
                "SELECT number FROM audit WHERE kind = ? ORDER BY number", [.text(kind.rawValue)]
            ) { try $0.integer(0) }
        }
    }

    func numbers() async throws -> [Int64] {
        try await store.number(.audit)
        return try await store.read { session in
            try session.query("SELECT number FROM audit ORDER BY number") { try $0.integer(0) }
        }
    }
}
