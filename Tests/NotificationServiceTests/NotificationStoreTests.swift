import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("The notification store")
struct NotificationStoreTests {
    @Test("a message that an older program accepted is delivered by this one")
    func upgrade() async throws {
        let folder = try TemporaryFolder()
        let time = ManualTime()
        let id = MessageID.drawn(from: SeededRandomness(seed: 4))
        do {
            let old = try Store(
                folder: folder.path, name: NotificationService.storeName,
                migrations: Array(NotificationService.migrations.prefix(1)), time: time,
                logger: CapturedLog().logger(time: time))
            let keys = try NotificationKeys(
                master: .generate(count: 32, randomness: SeededRandomness(seed: 99)),
                randomness: SeededRandomness(seed: 5))
            let content = try keys.contents.seal(
                ServiceBench.request().encoded(), at: .content(of: id))
            try await old.write { transaction in
                _ = try transaction.execute(
                    """
                    INSERT INTO message (
                        id, call_hash, fingerprint, recipient_hash, template, state, attempts,
                        accepted_at_ms, due_at_ms, content)
                    VALUES (?, x'01', x'02', x'03', 'verify-email', 0, 0, ?, ?, ?)
                    """,
                    [
                        .integer(id.key), SQLValue(transaction.at), SQLValue(transaction.at),
                        .blob(content),
                    ])
            }
            old.close()
        }
        let bench = try ServiceBench(in: folder, time: time)
        try await bench.delivering { try await bench.until(sent: 1) }
        #expect(bench.inbox.count == 1)
        let shown = try await bench.service.outbox.showMessage(
            .init(messageId: id.text), bench.context(from: "tool"))
        #expect(shown.message?.recipient == "…")
    }

    @Test("claiming is one walk of one index, whatever waits: nothing is sorted, nothing scanned")
    func plan() async throws {
        let bench = try ServiceBench(in: TemporaryFolder())
        let plan = try await bench.store.read { session in
            try session.query(
                """
                EXPLAIN QUERY PLAN SELECT \(StoredMessage.columns) FROM message
                WHERE channel = 1 AND lane = 0 AND due_at_ms <= 5 ORDER BY due_at_ms LIMIT 8
                """
            ) { try $0.text(3) }
        }
        #expect(
            plan == [
                "SEARCH message USING INDEX message_turn (channel=? AND lane=? AND due_at_ms<?)"
            ])
    }

    @Test("ids rise, also within a millisecond and when the clock falls back")
    func ids() {
        let time = ManualTime()
        let ids = MessageIDs(time: time, randomness: SeededRandomness(seed: 8))
        var last = ids.next()
        for number in 0..<10_000 {
            if number % 100 == 0 { time.advance(by: .milliseconds(1)) }
            if number == 5_000 { time.startAgain(at: time.now() - .seconds(15)) }
            let next = ids.next()
            #expect(next.key > last.key)
            last = next
        }
    }
}
