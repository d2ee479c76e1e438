import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("H1: failures that name no account are counted in the audit trail")
struct AuditCountTests {
    struct Refused: Error {}

    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, time: time)
    }

    private func refuse(
        _ count: Int = 1, _ kind: AuditKind = .signInFailed,
        _ outcome: ErrorCode? = .invalidCredential, site: [UInt8]? = [1]
    ) async throws {
        for _ in 0..<count {
            try await store.write(about: []) {
                try $0.auditCounted(kind, outcome: outcome, site: site)
            }
        }
    }

    private func records() async throws -> [[SQLValue]] {
        try await store.number(.audit)
        return try await store.read { session in
            try session.query(
                """
                SELECT kind, client_address, outcome, attempt FROM audit
                WHERE account IS NULL AND subject IS NULL ORDER BY number
                """
            ) { $0.values }
        }
    }

    /// - Returns: the recorded failures of one minute, of which the last is counted while the purge
    ///   waits for it.
    private func recorded(
        about subjects: [Subject], _ purge: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [[SQLValue]] {
        try await refuse()
        try await store.meeting(
            [], { try $0.auditCounted(.signInFailed, outcome: .invalidCredential, site: [1]) },
            meanwhile: { time.advance(by: .seconds(60)) }, then: subjects, purge)
        return try await records().map { Array($0.suffix(1)) }
    }

    @Test("a failure that is counted while the purge waits is in the record")
    func countedMeanwhile() async throws {
        let recorded = try await recorded(about: [.expired]) {
            _ = try $0.recordAuditCounts(limit: 10)
        }
        #expect(recorded == [[.integer(2)]])
        store.close()
    }

    @Test("a count that was read before its row is deleted lacks that failure on a server")
    func readBefore() async throws {
        let recorded = try await recorded(about: [.table("refusal_count")]) { transaction in
            let counts = try transaction.query("SELECT number, refusals FROM refusal_count", []) {
                (try $0.integer(0), try $0.integer(1))
            }
            for (number, refusals) in counts {
                try transaction.put(
                    "INSERT INTO audit (at_ms, kind, attempt) VALUES (1, 'x', ?)",
                    [.integer(refusals)])
                try transaction.put(
                    "DELETE FROM refusal_count WHERE number = ?", [.integer(number)])
            }
        }
        #expect(recorded == [[.integer(TestStore.isOnServer ? 1 : 2)]])
        store.close()
    }

    private func write() async throws {
        while try await Purges(of: store, [], time: time).step() {}
    }

    @Test("each method has its own record, which names it")
    func methods() async throws {
        try await store.write(about: []) { transaction in
            for method in ["phone", "password", "phone"] {
                try transaction.auditCounted(
                    .signInFailed, .method(method), outcome: nil, site: [1])
            }
        }
        time.advance(by: .seconds(60))
        try await write()
        let rows = try await store.read {
            try $0.query("SELECT detail, attempt FROM audit ORDER BY detail") { $0.values }
        }
        #expect(rows == [[.text("password"), .integer(1)], [.text("phone"), .integer(2)]])
    }

    @Test("what the release before counted becomes a record too, in the same purge")
    func earlier() async throws {
        try await refuse(2)
        try await store.write(about: []) { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO audit_count (minute, site, kind, outcome, refusals)
                VALUES (?, ?, 'sign-in.failed', 'auth/invalid-credential', 3)
                """,
                [.integer(AuditCounts.minute(of: transaction.at)), .blob([1])])
        }
        time.advance(by: .seconds(60))
        #expect(try await store.write(about: []) { try $0.recordAuditCounts(limit: 1) } == 1)
        try await write()
        #expect(try await records().compactMap(\.last) == [.integer(2), .integer(3)])
        try await write()
        #expect(try await records().count == 2)
    }

    private static let failed = SQLValue.text("sign-in.failed")
    private static let invalid = SQLValue.text("auth/invalid-credential")

    @Test("a hundred failures of one network in a minute become one record when the minute ends")
    func one() async throws {
        try await refuse(100)
        try await write()
        #expect(try await records() == [])
        time.advance(by: .seconds(60))
        try await write()
        try await write()
        #expect(
            try await records() == [[Self.failed, .blob([1]), Self.invalid, .integer(100)]])
    }

    @Test("each network, kind and outcome has its own record, and unknown values are null")
    func apart() async throws {
        try await refuse(2)
        try await refuse(3, site: [2])
        try await refuse(site: nil)
        try await refuse(1, .passwordResetRequested, nil)
        try await refuse(1, .signInFailed, .invalidProviderToken)
        time.advance(by: .seconds(60))
        try await write()
        let found = Set(try await records())
        #expect(
            found == [
                [Self.failed, .blob([1]), Self.invalid, .integer(2)],
                [Self.failed, .blob([2]), Self.invalid, .integer(3)],
                [Self.failed, .null, Self.invalid, .integer(1)],
                [.text("account.password-reset-requested"), .blob([1]), .null, .integer(1)],
                [Self.failed, .blob([1]), .text("auth/invalid-provider-token"), .integer(1)],
            ])
    }

    @Test("a later failure starts a new count and leaves the past minute's record to the duty")
    func later() async throws {
        try await refuse(5)
        time.advance(by: .seconds(60))
        try await refuse(7)
        #expect(try await records() == [])
        try await write()
        #expect(try await records().compactMap(\.last) == [.integer(5)])
        time.advance(by: .seconds(60))
        try await write()
        #expect(try await records().compactMap(\.last) == [.integer(5), .integer(7)])
    }

    @Test("a count survives a restart and is rolled back with its transaction")
    func durable() async throws {
        try await refuse(3)
        await #expect(throws: Refused.self) {
            try await store.write(about: []) { transaction in
                try transaction.auditCounted(.signInFailed, outcome: nil, site: [9])
                throw Refused()
            }
        }
        store.close()
        time.advance(by: .seconds(60))
        let next = try Entries.open(folder, time: time)
        while try await Purges(of: next, [], time: time).step() {}
        let counts = try await next.read { session in
            try session.query("SELECT attempt FROM audit") { try $0.integer(0) }
        }
        #expect(counts == [3])
    }

    @Test("counts of many networks are written in batches")
    func bounded() async throws {
        try await store.write(about: []) { transaction in
            for number in 0..<1_000 {
                try transaction.auditCounted(
                    .signInFailed, outcome: nil,
                    site: [UInt8(number / 256), UInt8(number % 256)])
            }
        }
        time.advance(by: .seconds(60))
        #expect(try await store.write(about: []) { try $0.recordAuditCounts(limit: 256) } == 256)
        try await write()
        #expect(try await records().count == 1_000)
    }
}
