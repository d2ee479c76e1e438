import Contracts
import Storage

/// The schema of `ratelimit.sqlite`. Besides the audit trail, which every store has, it is empty:
/// the states are in the journal.
enum RateLimitTables {
    static let migrations = [
        // Charges were stored here before there was a journal. Kept so that an older program still
        // starts.
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
