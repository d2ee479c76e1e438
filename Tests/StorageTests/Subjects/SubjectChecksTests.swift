import Storage
import TestSupport
import Testing

@Suite(
    "A flow writes only rows of its subjects", .enabled(if: TestStore.runs("SubjectChecksTests")))
struct SubjectChecksTests {
    let folder: TemporaryFolder
    let store: Store

    init() async throws {
        folder = try TemporaryFolder()
        store = try Items.open(folder)
        try await store.write(about: [.account(1), .account(2)]) { transaction in
            try transaction.addItem(1, 1, expiresAt: 5)
            try transaction.addItem(2, 2, expiresAt: 5)
        }
    }

    @Test("rows of a declared account, or of one locked on the way, are written")
    func declared() async throws {
        try await store.write(about: [.account(1)]) { transaction in
            try transaction.addItem(3, 1)
            try transaction.lock(.account(2))
            try transaction.put("DELETE FROM item WHERE account = 2", [])
        }
        #expect(try await store.write(about: []) { try $0.items(2) } == 0)
    }

    @Test("a planted flow without its subject is found")
    func withoutItsSubject() async {
        let error = await #expect(throws: SQLError.self) {
            try await store.write(about: [.account(1)]) { transaction in
                try transaction.put("UPDATE item SET expires_at_ms = 9 WHERE account = 2", [])
            }
        }
        #expect(error?.kind == .misuse)
        #expect(error?.detail.contains("UPDATE of item, row 2") == true)
    }

    @Test("a planted purge in a flow is found")
    func purgeInAFlow() async {
        let error = await #expect(throws: SQLError.self) {
            try await store.write(about: [.account(1)]) { transaction in
                try transaction.addItem(3, 1)
                try transaction.put("DELETE FROM item WHERE expires_at_ms <= 5", [])
            }
        }
        #expect(error?.detail.contains("DELETE of item, row 2") == true)
    }

    @Test("rows of no account are their own subject, and new ones need none")
    func rowsOfNoAccount() async throws {
        try await store.write(about: []) { transaction in
            try transaction.put("INSERT INTO setting (id, value) VALUES (7, 1)", [])
        }
        let change: @Sendable (Transaction) throws -> Void = { transaction in
            try transaction.put("UPDATE setting SET value = 2 WHERE id = 7", [])
        }
        try await store.write(about: [.row("setting", 7)], change)
        try await store.write(about: [.table("setting")], change)
        await #expect(throws: SQLError.self) {
            try await store.write(about: [.row("setting", 8)], change)
        }
    }

    @Test("what such a flow wrote is rolled back")
    func nothingIsWritten() async throws {
        _ = try? await store.write(about: []) { try $0.addItem(9, 9) }
        #expect(try await store.read { try $0.query("SELECT id FROM item") { $0 }.count } == 2)
    }
}
