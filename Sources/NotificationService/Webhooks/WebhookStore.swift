import ServiceRuntime
import Storage

/// A webhook's row, with sealed values.
struct WebhookRow: Sendable {
    /// The columns that `init` reads.
    static let columns = """
        id, target, secret, former_secret, former_until_ms, events, created_at_ms, is_paused, \
        last_failure, replayed_to
        """

    let id: WebhookID
    let target: [UInt8]
    let secret: [UInt8]
    let formerSecret: [UInt8]?
    let formerUntil: Timestamp?
    let events: String
    let createdAt: Timestamp
    let isPaused: Bool
    /// Why the last attempt failed; nil if it did not.
    let lastFailure: String?
    /// The position up to which a replay has queued events; nil if there is no replay.
    let replayedTo: Int64?

    fileprivate init(_ row: SQLRow) throws {
        guard let id = WebhookID(key: try row.integer("id")) else {
            throw SQLError(.unexpectedValue, detail: "webhook.id is not positive")
        }
        self.id = id
        target = try row.blob("target")
        secret = try row.blob("secret")
        formerSecret = try row.optionalBlob("former_secret")
        formerUntil = try row.optionalTimestamp("former_until_ms")
        events = try row.text("events")
        createdAt = try row.timestamp("created_at_ms")
        isPaused = try row.boolean("is_paused")
        lastFailure = try row.optionalText("last_failure")
        replayedTo = try row.optionalInteger("replayed_to")
    }

    /// Decrypts the row.
    func opened(_ vault: WebhookVault) throws -> Webhook {
        guard let filter = WebhookFilter(text: events) else {
            throw SQLError(.unexpectedValue, detail: "webhook.events is not a filter")
        }
        return Webhook(
            id: id, url: String(decoding: try vault.open(target, .target, of: id), as: UTF8.self),
            secret: WebhookSecret(bytes: try vault.open(secret, .secret, of: id)),
            formerSecret: try formerSecret.map {
                WebhookSecret(bytes: try vault.open($0, .formerSecret, of: id))
            },
            formerUntil: formerUntil, filter: filter)
    }
}

extension SQLSession {
    /// All webhooks, the oldest first.
    func webhooks() throws -> [WebhookRow] {
        try query(
            "SELECT \(WebhookRow.columns) FROM webhook ORDER BY created_at_ms, id",
            WebhookRow.init)
    }

    /// One webhook; nil if it does not exist.
    func webhook(_ id: WebhookID) throws -> WebhookRow? {
        try queryOne(
            "SELECT \(WebhookRow.columns) FROM webhook WHERE id = ?", [.integer(id.key)],
            WebhookRow.init)
    }

    /// How many events are queued for a webhook.
    func waitingEvents(for id: WebhookID) throws -> Int64 {
        try queryOne(
            "SELECT count(*) FROM webhook_delivery WHERE webhook = ?", [.integer(id.key)]
        ) { try $0.integer(0) } ?? 0
    }
}

extension Subject {
    /// A webhook with its deliveries.
    static func webhook(_ webhook: WebhookID) -> Subject { .row("webhook", webhook.key) }
}

extension Transaction {
    /// Adds a webhook.
    func insert(
        webhook id: WebhookID, target: [UInt8], secret: [UInt8], filter: WebhookFilter
    ) throws {
        try put(
            """
            INSERT INTO webhook (id, target, secret, events, created_at_ms)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .integer(id.key), .blob(target), .blob(secret), .text(filter.text), SQLValue(at),
            ])
    }

    /// Deletes a webhook and its queued deliveries.
    /// - Returns: whether it existed.
    func removeWebhook(_ id: WebhookID) throws -> Bool {
        try forgetDeliveries(of: id)
        return try execute("DELETE FROM webhook WHERE id = ?", [.integer(id.key)]) == 1
    }

    /// Deletes a webhook's queued deliveries.
    func forgetDeliveries(of id: WebhookID) throws {
        try put("DELETE FROM webhook_delivery WHERE webhook = ?", [.integer(id.key)])
    }

    /// Gives a webhook a new secret. The previous one also signs, until `moment`.
    func setSecret(
        _ secret: [UInt8], former: [UInt8], until moment: Timestamp, of id: WebhookID
    ) throws {
        try put(
            """
            UPDATE webhook SET secret = ?, former_secret = ?, former_until_ms = ? WHERE id = ?
            """,
            [.blob(secret), .blob(former), SQLValue(moment), .integer(id.key)])
    }

    /// Pauses or resumes a webhook.
    /// - Returns: whether it exists.
    func setPaused(_ isPaused: Bool, _ id: WebhookID) throws -> Bool {
        try execute(
            "UPDATE webhook SET is_paused = ? WHERE id = ?",
            [SQLValue(isPaused), .integer(id.key)]) == 1
    }

    /// Starts or continues a replay; nil ends it.
    func setReplayed(to position: Int64?, _ id: WebhookID) throws {
        try put(
            "UPDATE webhook SET replayed_to = ? WHERE id = ?",
            [SQLValue(position), .integer(id.key)])
    }

    /// Stores the outcome of the last attempt, if it has changed.
    func setLastFailure(_ reason: String?, of id: WebhookID) throws {
        try put(
            "UPDATE webhook SET last_failure = ? WHERE id = ? AND last_failure IS DISTINCT FROM ?",
            [SQLValue(reason), .integer(id.key), SQLValue(reason)])
    }
}
