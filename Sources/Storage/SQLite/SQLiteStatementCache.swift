/// Prepared statements, kept by their text. One that is in use is not handed out, so the same text used
/// inside its own row closure gets a statement of its own.
struct SQLiteStatementCache {
    /// Statements kept; a store has a few dozen different ones, each of 2 to 20 KB.
    static let statementsMax = 128

    private var kept: [Text: SQLiteStatement] = [:]
    private var uses: UInt64 = 0

    /// A text as a key. Every call of ours looks up a dozen of them, of hundreds of bytes each: so it
    /// is told apart by its length, which few share, and then compared, which for a literal is its
    /// address.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    /// The statement of this text, if it is here and free.
    mutating func free(_ sql: String) -> SQLiteStatement? {
        guard let statement = kept[Text(sql: sql)], !statement.isInUse else { return nil }
        uses &+= 1
        statement.lastUse = uses
        return statement
    }

    /// Keeps a new statement, unless there is one of its text; over the bound, the one longest unused
    /// goes.
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

    /// Finalises all, which must precede the connection's end.
    mutating func empty() { kept.removeAll() }
}
