import ServiceRuntime
package import Storage

/// The tables of the service. A message row is also the call's idempotency record: after the
/// message has ended the row stays for `retention`, without its content.
package enum NotificationStore {
    /// How long an idempotency key is remembered at least.
    package static let retention: Duration = .seconds(7 * 24 * 3_600)

    /// How long events for webhooks are stored. A replay can reach back this far, which is longer
    /// than any retry.
    static let eventRetention: Duration = .seconds(7 * 24 * 3_600)

    /// The store's name.
    package static let name = "notification"
    /// The schema.
    package static let migrations = [
        Migration(number: 1, sql: messages),
        Migration(number: 2, sql: outbox),
        Migration(number: 3, sql: devices),
        Migration(number: 4, sql: events),
        Migration(number: 5, sql: suppressedAddresses),
        Migration(number: 6, sql: unanswered),
        Migration(number: 7, sql: sessionFeed),
        Migration(number: 8, sql: warnings),
        Migration(number: 9, sql: leaseHolders),
        Migration(number: 10, sql: eventPositions, server: ""),
        Migration(number: 11, sql: deviceAccounts),
        Migration(number: 12, sql: eventDetails),
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

    /// - `push_device`: a token belongs to one account at a time, which the unique index enforces.
    ///   `recipient_hash` is the one in messages to the device.
    /// - `push_call`: the messages of a call to SendPush (G-25). They are stored because the
    ///   account may have other devices when the call is repeated. `message_ids` has eight bytes
    ///   for each.
    /// - `stopped_number`: numbers that a provider reported as dead.
    private static let devices = """
        CREATE TABLE push_device (
            id INTEGER PRIMARY KEY,
            token_hash BLOB NOT NULL,
            account_hash BLOB NOT NULL,
            recipient_hash BLOB NOT NULL,
            session_hash BLOB,
            platform INTEGER NOT NULL,
            app TEXT NOT NULL,
            token BLOB NOT NULL,
            seen_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX push_device_token ON push_device (token_hash);
        CREATE INDEX push_device_account ON push_device (account_hash, seen_at_ms);
        CREATE INDEX push_device_recipient ON push_device (recipient_hash);
        CREATE TABLE push_call (
            number INTEGER PRIMARY KEY,
            call_hash BLOB NOT NULL,
            fingerprint BLOB NOT NULL,
            message_ids BLOB NOT NULL,
            at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX push_call_call ON push_call (call_hash);
        CREATE INDEX push_call_at ON push_call (at_ms);
        CREATE TABLE stopped_number (
            number INTEGER PRIMARY KEY,
            recipient_hash BLOB NOT NULL,
            reason TEXT NOT NULL,
            until_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX stopped_number_recipient ON stopped_number (recipient_hash);
        CREATE INDEX stopped_number_until ON stopped_number (until_ms);
        """

    /// Events that are stored for webhooks, and the deliveries to each webhook. `lane` is the key
    /// by which events stay in order: the account's key, or a negative number for events without an
    /// account (`ServiceEvent.orderingKey`). Of the deliveries with one webhook and one ordering
    /// key only the first has `due_at_ms`, so that one index scan finds what may be sent and no
    /// event overtakes another.
    private static let events = """
        CREATE TABLE event_origin (
            origin INTEGER PRIMARY KEY,
            position INTEGER NOT NULL,
            at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE event (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id INTEGER NOT NULL,
            origin INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            at_ms INTEGER NOT NULL,
            kind TEXT NOT NULL,
            account INTEGER,
            session INTEGER,
            outcome TEXT,
            attempt INTEGER,
            kept_from_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX event_kept ON event (kept_from_ms);
        CREATE TABLE webhook (
            id INTEGER PRIMARY KEY,
            target BLOB NOT NULL,
            secret BLOB NOT NULL,
            former_secret BLOB,
            former_until_ms INTEGER,
            events TEXT NOT NULL,
            created_at_ms INTEGER NOT NULL,
            is_paused INTEGER NOT NULL DEFAULT 0,
            last_failure TEXT,
            replayed_to INTEGER
        ) STRICT;
        CREATE TABLE webhook_delivery (
            webhook INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
            lane INTEGER NOT NULL,
            event INTEGER NOT NULL REFERENCES event (position) ON DELETE CASCADE,
            attempts INTEGER NOT NULL DEFAULT 0,
            since_ms INTEGER NOT NULL,
            due_at_ms INTEGER,
            PRIMARY KEY (webhook, lane, event)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due_at_ms)
            WHERE due_at_ms IS NOT NULL;
        CREATE INDEX webhook_delivery_event ON webhook_delivery (event);
        """

    /// What an event says beside its kind, and where it comes from. Null in rows of an earlier or
    /// older program.
    private static let eventDetails = """
        ALTER TABLE event ADD COLUMN detail TEXT;
        ALTER TABLE event ADD COLUMN country TEXT;
        ALTER TABLE event ADD COLUMN agent TEXT;
        """

    /// For the version that took the positions of `event` from this row, and was on no server; the
    /// table numbers its rows itself.
    private static let eventPositions = """
        INSERT INTO feed_head (feed, last) VALUES (
            'event', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0));
        """

    /// The suppression list of addresses (`SuppressionList`).
    private static let suppressedAddresses = """
        CREATE TABLE stopped_address (
            number INTEGER PRIMARY KEY,
            address_hash BLOB NOT NULL,
            reason TEXT NOT NULL,
            stopped_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX stopped_address_hash ON stopped_address (address_hash);
        CREATE INDEX stopped_address_age ON stopped_address (stopped_at_ms);
        """

    /// The number of attempts after which a provider may have taken the message. It must survive a
    /// restart.
    private static let unanswered = """
        ALTER TABLE message ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
        """

    /// The position up to which session's feed was read. It has one row, or none while no device is
    /// bound to a session. The index finds out whether there is such a device
    /// (`EndedSessionDevices`).
    private static let sessionFeed = """
        CREATE TABLE session_feed (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            position INTEGER NOT NULL,
            at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX push_device_with_session ON push_device (seen_at_ms)
            WHERE session_hash IS NOT NULL;
        """

    /// `is_warning` splits lane 0: messages that the reader requested do not have the mark
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

    /// The account of a device, sealed: `ListAccountsWithData` names it, and a hash cannot. Null in
    /// rows of earlier or older programs, until the device registers again.
    private static let deviceAccounts = """
        ALTER TABLE push_device ADD COLUMN sealed_account BLOB;
        """

    /// `holder` is the process that holds the lease of a message in state 1 (`LeaseHolder`); in
    /// other states it has no meaning. Leases of an earlier or older program, which does not write
    /// it, are those of `LeaseHolder.onlyProcess`.
    private static let leaseHolders = """
        ALTER TABLE message ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;
        """
}
