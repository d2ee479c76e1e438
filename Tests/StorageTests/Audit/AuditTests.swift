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
            event = AuditEvent(.sessionEnded, detail: .end(.maximumAge))
            event.country = "DE"
            event.agent = "firefox 131, linux"
            try transaction.audit(event)
        }
        try await store.number(.audit)
        let rows = try await store.read { session in
            try session.query(
                """
                SELECT number, at_ms, kind, account, session, subject, client_address, device,
                    outcome, attempt, actor, app, detail, country, agent
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
                    .integer(6), .null, .null, .null, .null, .null,
                ],
                [.integer(2), at, .text("key.signing-key-made")]
                    + [SQLValue](repeating: .null, count: 7) + [
                        .text("tool/ann"), .text("shop-web"), .null, .null, .null,
                    ],
                [.integer(3), at, .text("session.ended")]
                    + [SQLValue](repeating: .null, count: 9) + [
                        .text("maximum-age"), .text("DE"), .text("firefox 131, linux"),
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

    @Test("a detail has the words of its kind, and what is none of them is stored as other")
    func details() {
        #expect(AuditDetail.method("google").text == "google")
        #expect(AuditDetail.method("Correct horse battery").text == "other")
        #expect(AuditDetail.method(String(repeating: "a", count: 65)).text == "other")
        #expect(AuditDetail.authentication(["otp", "pwd"]).text == "otp pwd")
        let message = AuditDetail.message(channel: "mail", template: "new-device")
        #expect(message.text == "mail new-device")
        #expect(AuditDetail.message(channel: "push", template: nil).text == "push")
        #expect(AuditKind.signInFailed.allows(.method("phone")))
        #expect(!AuditKind.signInFailed.allows(.end(.inactive)))
        #expect(!AuditKind.clockAccepted.allows(.method("phone")))
        let long = [String](repeating: "pwd", count: 200)
        #expect(!AuditKind.sessionStarted.allows(.authentication(long)))
    }

    @Test("each kind has a unique name")
    func kindsHaveNames() {
        #expect(Set(AuditKind.allCases.map(\.rawValue)).count == AuditKind.allCases.count)
    }
}
