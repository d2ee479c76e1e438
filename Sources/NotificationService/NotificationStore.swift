import ServiceRuntime
package import Storage

/// The tables of messages. A message row is also the call's idempotency record: after the message
/// has ended the row stays for `keptFor`, without its content.
package enum NotificationStore {
    /// How long an idempotency key is remembered at least.
    package static let keptFor: Duration = .seconds(7 * 24 * 3_600)

    /// The store's name.
    package static let name = "notification"
    /// The schema.
    package static let migrations = [
        Migration(number: 1, sql: messages),
        Migration(number: 2, sql: outbox),
        DeviceSchema.migration(number: 3),
        EventStore.migration(number: 4),
        SuppressionList.migration(number: 5),
        Migration(number: 6, sql: unanswered),
        SessionFeedStore.migration(number: 7),
        Migration(number: 8, sql: warnings),
    ]

    /// `state`: 0 queued, 1 sending, 2 waiting, 3 sent, 4 dead. `due_at_ms`: when the message may
    /// be claimed; for `sending`, when the lease expires; null for a message that has ended.
    private static let messages = """
        CREATE TABLE message (
            id INTEGER PRIMARY KEY,
            call_hash BLOB NOT NULL,
            fingerprint BLOB NOT NULL,
            recipient_hash BLOB NOT NULL,
            template TEXT NOT NULL,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
            attempts INTEGER NOT NULL,
            accepted_at_ms INTEGER NOT NULL,
            expires_at_ms INTEGER,
            due_at_ms INTEGER,
            ended_at_ms INTEGER,
            reason TEXT,
            content BLOB,
            CHECK ((due_at_ms IS NULL) = (content IS NULL)),
            CHECK ((due_at_ms IS NULL) = (ended_at_ms IS NOT NULL))
        ) STRICT;
        CREATE UNIQUE INDEX message_call ON message (call_hash);
        CREATE INDEX message_due ON message (due_at_ms) WHERE due_at_ms IS NOT NULL;
        CREATE INDEX message_ended ON message (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
        """

    /// Channels, lanes, accounts, and what an operator sees.
    ///
    /// The index `message_turn` has the order in which messages are claimed. Each claim reads a
    /// bounded number of its entries, however many messages are queued; with `state` it also serves
    /// to count them. It replaces `message_due`, which would slow every acceptance. An older
    /// program finds due messages without that index, slowly.
    ///
    /// `message.recipient` is masked. `dead_letter` has the content of dead messages, because the
    /// row of a message that has ended has none. `failed_try` has the delivery attempts that
    /// failed.
    private static let outbox = """
        ALTER TABLE message ADD COLUMN channel INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE message ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE message ADD COLUMN account_hash BLOB;
        ALTER TABLE message ADD COLUMN recipient TEXT NOT NULL DEFAULT '…';
        ALTER TABLE message ADD COLUMN renewed_at_ms INTEGER;
        CREATE INDEX message_turn ON message (channel, lane, due_at_ms, state)
            WHERE due_at_ms IS NOT NULL;
        DROP INDEX message_due;
        CREATE INDEX message_account ON message (account_hash) WHERE account_hash IS NOT NULL;
        CREATE INDEX message_dead ON message (id) WHERE state = 4;
        CREATE TABLE dead_letter (
            id INTEGER PRIMARY KEY,
            content BLOB NOT NULL,
            kept_until_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX dead_letter_kept ON dead_letter (kept_until_ms);
        CREATE TABLE failed_try (
            number INTEGER PRIMARY KEY,
            message INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            at_ms INTEGER NOT NULL,
            reason TEXT NOT NULL
        ) STRICT;
        CREATE INDEX failed_try_message ON failed_try (message, attempt);
        """

    /// The number of attempts after which a provider may have taken the message. It must survive a
    /// restart.
    private static let unanswered = """
        ALTER TABLE message ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
        """

    /// `is_warning` splits lane 0: messages that the reader asked for do not have the mark
    /// (`Lane`). An older program claims both as one lane, by the index's first two columns. This
    /// migration marks the mails that are queued.
    private static let warnings = """
        ALTER TABLE message ADD COLUMN is_warning INTEGER NOT NULL DEFAULT 0;
        UPDATE message SET is_warning = 1
            WHERE due_at_ms IS NOT NULL AND lane = 0 AND channel <> 2 AND template NOT IN (
                'verify-email', 'verify-email-code', 'sign-in-code', 'reset-password');
        DROP INDEX message_turn;
        CREATE INDEX message_turn ON message (channel, lane, is_warning, due_at_ms, state)
            WHERE due_at_ms IS NOT NULL;
        """
}

extension Transaction {
    // MARK: acceptance

    /// Inserts a message that is due at once, unless its call is known.
    func insert(_ message: AcceptedMessage) throws -> AcceptedBefore {
        let inserted = try execute(
            """
            INSERT INTO message (
                id, call_hash, fingerprint, recipient_hash, template, state, attempts,
                accepted_at_ms, expires_at_ms, due_at_ms, content, channel, lane, account_hash,
                recipient, is_warning)
            VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, ?6, ?7, ?6, ?8, ?9, ?10, ?11, ?12, ?13)
            ON CONFLICT (call_hash) DO NOTHING
            """,
            [
                .integer(message.id.key), .blob(message.call), .blob(message.fingerprint),
                .blob(message.recipient), .text(message.template), SQLValue(at),
                SQLValue(message.expiresAt), .blob(message.content),
                .integer(message.channel.rawValue), .integer(message.lane.number),
                SQLValue(message.account), .text(message.maskedRecipient),
                SQLValue(message.lane.isWarning),
            ])
        return inserted == 1 ? .fresh : try accepted(message)
    }

    private func accepted(_ message: AcceptedMessage) throws -> AcceptedBefore {
        let found = try queryOne(
            "SELECT id, fingerprint FROM message WHERE call_hash = ?", [.blob(message.call)]
        ) { (id: try $0.messageID(0), fingerprint: try $0.blob(1)) }
        guard let found else {
            throw SQLError(.unexpectedValue, detail: "a conflicting call was not found")
        }
        return found.fingerprint == message.fingerprint ? .repeated(found.id) : .mismatch
    }

    /// Delays a message that was just inserted.
    func postpone(_ id: MessageID, until due: Timestamp) throws {
        try execute(
            "UPDATE message SET due_at_ms = ? WHERE id = ?", [SQLValue(due), .integer(id.key)])
    }

    /// Ends a message that was just inserted as dead. Its content is deleted.
    func drop(_ id: MessageID, reason: String) throws {
        try execute(
            """
            UPDATE message
            SET state = 4, due_at_ms = NULL, ended_at_ms = ?, reason = ?, content = NULL
            WHERE id = ?
            """,
            [SQLValue(at), .text(reason), .integer(id.key)])
    }
}
