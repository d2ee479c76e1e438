/// Prepared statements, cached by their text. A statement in use is not returned, so the same text
/// used within its own row closure gets a second statement.
struct SQLiteStatementCache {
    /// Cached statements; a store has a few dozen different ones, each of 2 to 20 KB.
    static let statementsMax = 128

    private var kept: [Text: SQLiteStatement] = [:]
    private var uses: UInt64 = 0

    /// A statement's text as a key. Every call looks up a dozen texts of hundreds of bytes each.
    /// The hash is only the length, which few texts share; equal lengths are compared, and equal
    /// literals by their address.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    /// The cached statement with this text, if it is not in use.
    mutating func free(_ sql: String) -> SQLiteStatement? {
        guard let statement = kept[Text(sql: sql)], !statement.isInUse else { return nil }
        uses &+= 1
        statement.lastUse = uses
        return statement
    }

    /// Caches a new statement, unless one with its text is cached; at the bound, evicts the least
    /// recently used one.
    mutating func keep(_ statement: SQLiteStatement, _ sql: String) {
        let text = Text(sql: sql)
        guard kept[text] == nil else { return }
        if kept.count >= Self.statementsMax,
            let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            kept[oldest.key] = nil
        }
        uses &+= 1
        statement.lastUse = uses
        kept[text] = statement
    }

    /// Finalises all statements, which must happen before the connection closes.
    mutating func empty() { kept.removeAll() }
}
