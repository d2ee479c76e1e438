/// The tables and columns of the revocation feed and of signing key rotation.
enum RevocationTables {
    /// The order of revocations, and the times of signing keys.
    static let sql = sessionEnd + signingKeyLife

    /// The epoch that feed positions belong to (`RestoredStore`), and when it began.
    static let epoch = """
        CREATE TABLE store_epoch (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL,
            begun_at_ms INTEGER NOT NULL
        ) STRICT;
        """

    /// One row for each end of the last two hours, in order. `number` is the position that
    /// followers resume from; it never goes back, even when all rows are purged.
    private static let sessionEnd = """
        CREATE TABLE session_end (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL,
            ended_at_ms INTEGER NOT NULL,
            reason INTEGER NOT NULL
        ) STRICT;
        INSERT INTO session_end (session, ended_at_ms, reason)
            SELECT id, ended_at_ms, end_reason FROM session
            WHERE ended_at_ms > (SELECT max(ended_at_ms) FROM session) - 7200000
            ORDER BY ended_at_ms, id;
        """

    /// When a key started to sign, stopped signing, and stopped verifying. A key that is passive
    /// (2) and has its private number is announced: a program from before this migration publishes
    /// it, as intended.
    private static let signingKeyLife = """
        ALTER TABLE signing_key ADD COLUMN active_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN passive_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN retired_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;
        """
}
