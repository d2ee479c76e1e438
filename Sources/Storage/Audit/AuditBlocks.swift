import ServiceRuntime

/// Which accounts the closed blocks of the audit trail name: rows of `audit_block`, by which an
/// export finds an account's events.
///
/// An index by account would cost a write to another page with each event, and most events are
/// refreshes: in SQLite's part of a refresh, among six million events, 1.5 to 1.8 times the CPU
/// time. To read the whole trail for each export would cost 0.1 s for each million rows, as often as
/// strangers order exports. So each block is sorted by account once, by the first export that comes
/// after it: 0.8 µs a row, in the order of the table's key. A look-up in it takes 8 µs.
///
/// A block is closed when a row behind it is a minute old. No transaction runs for that long, so
/// none has a number of it that is not committed: on a server, numbers of a sequence are not in the
/// order of commits.
enum AuditBlocks {
    /// Numbers of a block: 3 ms of the writer, since flows of the same commit wait for them.
    static let rows: Int64 = 4_096
    /// What is written for one.
    static let bytes = Int(rows) * 32
    /// How long after its last row it is closed.
    static let closedAfter: Duration = .seconds(60)

    /// `block` is the same for each `rows` numbers of `audit`. Account 0 is none: it marks a block
    /// that is made, also if it names no account. A row takes 24 bytes, one of `audit` 120.
    static let table = """
        CREATE TABLE audit_block (
            block INTEGER NOT NULL,
            account INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (block, account, number)
        ) STRICT, WITHOUT ROWID;
        """

    /// Deletes what names rows of the trail that were deleted.
    static let purge = Purge { session, _ in
        try session.queryOne(
            """
            SELECT 1 FROM audit_block WHERE block < (SELECT (min(number) - 1) / ? FROM audit) LIMIT 1
            """, [.integer(rows)]
        ) { _ in true } ?? false
    } remove: { transaction, rowsMax in
        try transaction.execute(
            """
            DELETE FROM audit_block WHERE (block, account, number) IN (
                SELECT block, account, number FROM audit_block
                WHERE block < (SELECT (min(number) - 1) / ? FROM audit) ORDER BY block LIMIT ?)
            """, [.integer(rows), .integer(Int64(rowsMax))])
    }
}

extension Store {
    /// Makes the blocks that are closed.
    /// - Returns: the last one; nil if there is none.
    /// - Throws: as `write`, `CancellationError`. What is made stays, and a repeat goes on.
    func makeAuditBlocks() async throws -> Int64? {
        while true {
            try Task.checkCancellation()
            let isMade = try await write(
                about: [.table("audit_block")], bulkBytes: AuditBlocks.bytes
            ) { try $0.makeNextAuditBlock() }
            guard isMade else { break }
        }
        return try await read { try $0.lastAuditBlock() }
    }
}

extension SQLSession {
    fileprivate func lastAuditBlock() throws -> Int64? {
        try queryOne("SELECT max(block) FROM audit_block") { try $0.optionalInteger(0) } ?? nil
    }

    /// The first block of the trail as it is now; nil if that is empty.
    func firstAuditBlock() throws -> Int64? {
        let number = try queryOne("SELECT min(number) FROM audit") { try $0.optionalInteger(0) }
        return number.flatMap(\.self).map { ($0 - 1) / AuditBlocks.rows }
    }
}

extension Transaction {
    /// Makes the next block, if it is closed.
    fileprivate func makeNextAuditBlock() throws -> Bool {
        guard let first = try firstAuditBlock() else { return false }
        let block = max(first, try lastAuditBlock().map { $0 + 1 } ?? first)
        let (start, end) = (block * AuditBlocks.rows, (block + 1) * AuditBlocks.rows)
        let behind = try queryOne(
            "SELECT at_ms FROM audit WHERE number > ? ORDER BY number LIMIT 1", [.integer(end)]
        ) { try $0.timestamp(0) }
        guard let behind, behind + AuditBlocks.closedAfter <= at else { return false }
        try put(
            "INSERT INTO audit_block (block, account, number) VALUES (?, 0, 0)", [.integer(block)])
        try put(
            """
            INSERT INTO audit_block (block, account, number)
            SELECT (number - 1) / ?, account, number FROM audit
            WHERE number > ? AND number <= ? AND account IS NOT NULL ORDER BY account, number
            """, [.integer(AuditBlocks.rows), .integer(start), .integer(end)])
        return true
    }
}
