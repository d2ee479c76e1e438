/// What the stream of ends and the rotation of keys add to the schema.
enum EndsTables {
    /// The order of ends, and the life of signing keys.
    static let sql = sessionEnd + sessionEnded + signingKeyLife

    /// One row for each end of the last two hours, in their order; `number` is the position that
    /// followers resume from, and never goes back, also when all rows are purged.
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

    /// A trigger, so that no way in which a session ends can be forgotten, and a program from
    /// before this table does not leave gaps in it. With each end two old ones go, so that the
    /// table shrinks while it is used. Two hours: more than any setting lets an access token live,
    /// with the leeway of verifiers.
    private static let sessionEnded = """
        CREATE TRIGGER session_ended AFTER UPDATE OF ended_at_ms ON session
        WHEN OLD.ended_at_ms IS NULL AND NEW.ended_at_ms IS NOT NULL
        BEGIN
            INSERT INTO session_end (session, ended_at_ms, reason)
                VALUES (NEW.id, NEW.ended_at_ms, NEW.end_reason);
            DELETE FROM session_end
                WHERE number IN (SELECT number FROM session_end ORDER BY number LIMIT 2)
                AND ended_at_ms < NEW.ended_at_ms - 7200000;
        END;
        """

    /// Since when a key signs, ceased to, and ceased to verify. A key that is passive (2) and has
    /// its private number is announced: a program from before this publishes it, as it should.
    private static let signingKeyLife = """
        ALTER TABLE signing_key ADD COLUMN active_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN passive_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN retired_at_ms INTEGER;
        ALTER TABLE signing_key ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;
        """
}
