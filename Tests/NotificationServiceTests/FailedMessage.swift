import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

extension Store {
    /// Inserts a message that has failed for good, and that an operator can retry for a minute.
    func insertFailedMessage() async throws -> MessageID {
        let id = try #require(MessageID(key: 1))
        try await writeUnchecked { transaction in
            try transaction.execute(
                """
                INSERT INTO message (id, call_hash, fingerprint, recipient_hash, template, state,
                    attempts, accepted_at_ms, ended_at_ms)
                VALUES (1, x'01', x'', x'', 'welcome', 4, 1, 1, 1)
                """)
            try transaction.put(
                "INSERT INTO dead_letter (id, content, kept_until_ms) VALUES (1, x'', ?)",
                [SQLValue(transaction.at + .seconds(60))])
        }
        return id
    }
}
