import Storage

/// The tables of text and push messages.
enum DeviceSchema {
    /// The tables, as migration `number`.
    ///
    /// - `push_device`: a token belongs to one account at a time, which the unique index enforces.
    ///   `recipient_hash` is the one in messages to the device.
    /// - `push_call`: the messages of a call to SendPush (G-25). They are stored because the
    ///   account may have other devices when the call is repeated. `message_ids` has eight bytes
    ///   for each.
    /// - `stopped_number`: numbers that a provider reported as dead.
    static func migration(number: Int) -> Migration {
        Migration(
            number: number,
            sql: """
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
                """)
    }
}
