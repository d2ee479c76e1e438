import Storage

/// The schema of `ratelimit.sqlite`: beside the audit trail, which every store has, nothing any
/// more. What is counted stands in the journal.
enum RateLimitTables {
    static let migrations = [
        // Where charges stood before the journal; kept so that an older program still starts.
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
                """)
    ]
}
