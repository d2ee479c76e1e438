import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("A-01: the audit trail")
struct AuditTests {
    struct Refused: Error {}

    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, time: time)
    }

    @Test("an event is stored with all its fields")
    func eventIsStored() async throws {
        try await store.write(about: []) { transaction in
            try transaction.audit(
                AuditEvent(
                    .signInFailed, account: 1, session: 2, subject: [3], clientAddress: [4],
                    device: [5], outcome: .invalidCredential, attempt: 6))
            var event = AuditEvent(.signingKeyMade)
            event.actor = "tool/ann"
            event.app = "shop-web"
            try transaction.audit(event)
        }
        try await store.number(.audit)
        let rows = try await store.read { session in
            try session.query(
                """
                SELECT number, at_ms, kind, account, session, subject, client_address, device,
                    outcome, attempt, actor, app
                FROM audit ORDER BY number
                """
            ) { $0.values }
        }
        let at = SQLValue(time.now())
        #expect(
            rows == [
                [
                    .integer(1), at, .text("sign-in.failed"), .integer(1), .integer(2),
                    .blob([3]), .blob([4]), .blob([5]), .text("auth/invalid-credential"),
                    .integer(6), .null, .null,
                ],
                [.integer(2), at, .text("key.signing-key-made")]
                    + [SQLValue](repeating: .null, count: 7) + [
                        .text("tool/ann"), .text("shop-web"),
                    ],
            ])
    }

    @Test("an event is rolled back with the change that it records")
    func eventIsUndone() async throws {
        await #expect(throws: Refused.self) {
            try await store.write(about: []) { transaction in
                try transaction.audit(AuditEvent(.accountRegistered, account: 1))
                throw Refused()
            }
        }
        #expect(try await store.read { try $0.query("SELECT 1 FROM audit") { $0 } } == [])
    }

    @Test("each kind has a unique name")
    func kindsHaveNames() {
        #expect(Set(AuditKind.allCases.map(\.rawValue)).count == AuditKind.allCases.count)
    }
}
