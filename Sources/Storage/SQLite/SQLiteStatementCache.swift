/// Prepared statements between their uses, by their text. One that is in use is not here, so the
/// same text used inside its own row closure gets a statement of its own.
struct SQLiteStatementCache {
    /// Statements kept; a store has a few dozen different ones, each of 2 to 20 KB.
    static let statementsMax = 128

    private var kept: [String: Kept] = [:]
    private var uses: UInt64 = 0

    private struct Kept {
        let statement: SQLiteStatement
        let lastUse: UInt64
    }

    /// Takes the statement out, if it is here.
    mutating func take(_ sql: String) -> SQLiteStatement? {
        kept.removeValue(forKey: sql)?.statement
    }

    /// Puts a reset statement back; over the bound, the one longest unused goes.
    mutating func put(_ sql: String, _ statement: SQLiteStatement) {
        uses &+= 1
        if kept.count >= Self.statementsMax,
            let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            kept[oldest.key] = nil
        }
        kept[sql] = Kept(statement: statement, lastUse: uses)
    }

    /// Finalises all, which must precede the connection's end.
    mutating func empty() { kept.removeAll() }
}
