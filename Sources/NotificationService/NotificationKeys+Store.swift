import Cryptography
import ServiceRuntime
package import Storage

extension NotificationKeys {
    /// For each of the oldest sealed values of each kind: whether these keys can open it. Used by
    /// `Store.requireKey`.
    ///
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        let vault = WebhookVault(box: contents)
        let webhooks = try session.webhooks().prefix(Int(limit)).map { row in
            vault.box.opens(row.target, at: WebhookVault.place(.target, row.id))
        }
        let tokens = try session.query(
            "SELECT id, token FROM push_device ORDER BY seen_at_ms, id LIMIT ?", [.integer(limit)]
        ) { row in
            try PushDeviceID(key: row.integer(0)).map { devices.opens(try row.blob(1), of: $0) }
        }
        let messages = try session.query(
            """
            SELECT id, content FROM message
            WHERE due_at_ms IS NOT NULL ORDER BY accepted_at_ms, id LIMIT ?
            """,
            [.integer(limit)]
        ) { row in
            contents.opens(try row.blob(1), at: .content(of: try row.messageID(0)))
        }
        return webhooks + tokens.compactMap(\.self) + messages
    }
}
