import ServiceRuntime
import Storage

extension SQLSession {
    /// What is kept of a number.
    func numberChange(_ numberKey: [UInt8]) throws -> NumberChange? {
        try queryOne(
            "SELECT told_at_ms, confirmed_at_ms FROM number_changes WHERE number_key = ?",
            [.blob(numberKey)]
        ) { row in
            NumberChange(
                toldAt: try row.timestamp(0), confirmedAt: try row.optionalTimestamp(1))
        }
    }
}

extension Transaction {
    /// Keeps a change in place of what was kept of the number.
    func setNumberChange(_ numberKey: [UInt8], toldAt: Timestamp) throws {
        try purge(
            "number_changes", key: "change", expiry: "told_at_ms",
            until: at - NumberChangeRule.keptFor)
        try execute(
            """
            INSERT INTO number_changes (number_key, told_at_ms) VALUES (?, ?)
            ON CONFLICT (number_key) DO UPDATE SET
                told_at_ms = excluded.told_at_ms, confirmed_at_ms = NULL
            """,
            [.blob(numberKey), SQLValue(toldAt)])
    }

    /// Notes that the number is still its owner's.
    func confirmNumber(_ numberKey: [UInt8]) throws {
        try execute(
            """
            UPDATE number_changes SET confirmed_at_ms = ?
            WHERE number_key = ? AND confirmed_at_ms IS NULL
            """,
            [SQLValue(at), .blob(numberKey)])
    }
}
