package import Storage

/// The schema of `ratelimit.sqlite`, besides the tables that every store has. The limits' states
/// are in the journal.
package enum RateLimitTables {
    /// The migrations from an empty store, for `Store.init`.
    package static let migrations = [
        // Charges were stored here before there was a journal. The table stays so that an older
        // program starts.
        Migration(
            number: 1,
            sql: """
                CREATE TABLE rings (
                    ring INTEGER PRIMARY KEY,
                    limit_number INTEGER NOT NULL,
                    subject BLOB NOT NULL,
                    moments BLOB NOT NULL,
                    ends_at INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX rings_by_subject ON rings (limit_number, subject);
                CREATE INDEX rings_by_end ON rings (ends_at);
                """),
        // The waits that are being counted (`LimitHits`).
        Migration(
            number: 2,
            sql: """
                CREATE TABLE hits (
                    limit_number INTEGER NOT NULL,
                    subject BLOB NOT NULL,
                    since_ms INTEGER NOT NULL,
                    until_ms INTEGER NOT NULL,
                    refused INTEGER NOT NULL,
                    attempt INTEGER NOT NULL,
                    PRIMARY KEY (limit_number, subject)
                ) STRICT;
                """),
        // The secrets that subjects are hashed under (`SubjectKeys`).
        Migration(
            number: 3,
            sql: """
                CREATE TABLE subject_secret (
                    number INTEGER PRIMARY KEY,
                    secret BLOB,
                    since_ms INTEGER NOT NULL,
                    until_ms INTEGER
                ) STRICT;
                INSERT INTO subject_secret (number, since_ms) VALUES (0, 0);
                """),
    ]
}
