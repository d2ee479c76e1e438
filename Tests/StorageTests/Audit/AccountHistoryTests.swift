import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("G-21: an account's events are found in a long trail", .timeLimit(.minutes(1)))
struct AccountHistoryTests {
    private static let block = Int(AuditBlocks.rows)

    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try TestStore.open(
            "history", Entries.migrations, in: folder.path, auditRetention: .seconds(86_400),
            time: time)
    }

    /// Appends events of accounts 1, 2 and 3 in turn; every fourth names none.
    private func append(_ count: Int) async throws {
        try await store.write(about: []) { transaction in
            for number in 0..<count {
                let account = Int64(number % 4)
                try transaction.audit(
                    AuditEvent(
                        .sessionRefreshed, account: account == 0 ? nil : account,
                        session: Int64(number) + 1))
            }
        }
    }

    private func sessions(of account: Int64, subject: [UInt8]? = nil) async throws -> [Int64] {
        var found: [Int64] = []
        try await store.readHistory(of: account, subject: subject) { event in
            #expect(event.kind == "session.refreshed")
            found.append(try #require(event.session))
        }
        return found
    }

    /// The blocks that are made, and how many rows they have.
    private func blocks() async throws -> [Int64: Int64] {
        let rows = try await store.read { session in
            try session.query("SELECT block, count(*) FROM audit_block GROUP BY block") {
                (try $0.integer(0), try $0.integer(1))
            }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    @Test("all of them, in order, whether blocks are made or not, and each block is made once")
    func whole() async throws {
        let count = 2 * Self.block + 100
        try await append(count)
        let expected = (0..<count).filter { $0 % 4 == 2 }.map { Int64($0) + 1 }
        #expect(try await sessions(of: 2) == expected)
        #expect(try await blocks().isEmpty, "a transaction may still run")

        time.advance(by: AuditBlocks.closedAfter)
        #expect(try await sessions(of: 2) == expected)
        // Three of four events name an account, and one row marks the block.
        let rows = Int64(Self.block / 4 * 3 + 1)
        #expect(try await blocks() == [0: rows, 1: rows])
        #expect(try await sessions(of: 2) == expected)
        #expect(try await sessions(of: 4).isEmpty)
        // One with a hash is found by reading.
        #expect(try await sessions(of: 2, subject: [9]) == expected)

        try await append(Self.block)
        #expect(try await sessions(of: 2).count == expected.count + Self.block / 4)
        #expect(try await blocks().keys.sorted() == [0, 1])
        time.advance(by: AuditBlocks.closedAfter)
        #expect(try await sessions(of: 2).count == expected.count + Self.block / 4)
        #expect(try await blocks().keys.sorted() == [0, 1, 2])
    }

    @Test("a block without accounts is passed, and a trail that was purged is read from its start")
    func gaps() async throws {
        try await store.write(about: []) { transaction in
            for _ in 0..<Self.block { try transaction.audit(AuditEvent(.signingKeyMade)) }
        }
        try await append(Self.block + 8)
        time.advance(by: AuditBlocks.closedAfter)
        let count = (Self.block + 8) / 4
        #expect(try await sessions(of: 1).count == count)
        #expect(try await blocks() == [0: 1, 1: Int64(Self.block / 4 * 3 + 1)])

        time.advance(by: .seconds(86_401))
        try await append(4)
        let purges = Purges(of: store, [], time: time)
        while try await purges.step() {}
        #expect(try await sessions(of: 1) == [2])
        #expect(try await blocks().isEmpty, "rows about deleted rows are deleted too")
    }
}
