package import ServiceRuntime
package import Storage

/// A row of `documents`, sealed as it is stored.
struct DocumentRow: Sendable {
    let rowKey: Int64
    let version: Int64
    let position: Int64
    /// Collection, name and JSON text.
    let payload: [UInt8]
    /// The bytes of the JSON text; 0 if it was removed.
    let bytes: Int64
    let changedAt: Timestamp
    let isRemoved: Bool
}

extension Sequence<DocumentRow> {
    /// The bytes of their JSON texts.
    var bytes: Int { reduce(0) { $0 + Int($1.bytes) } }
}

extension DocumentRow {
    /// The columns that `init` reads.
    fileprivate static let columns =
        "document, version, position, payload, bytes, changed_at_ms, is_removed"

    fileprivate init(_ row: SQLRow) throws {
        rowKey = try row.integer("document")
        version = try row.integer("version")
        position = try row.integer("position")
        payload = try row.blob("payload")
        bytes = try row.integer("bytes")
        changedAt = try row.timestamp("changed_at_ms")
        isRemoved = try row.boolean("is_removed")
    }
}

/// A page of documents in the order of their positions.
package struct DocumentPage: Sendable {
    let rows: [DocumentRow]
    /// Whether there are more after the last one.
    let hasMore: Bool
}

/// Which documents a page has.
package struct DocumentSelection: Sendable {
    /// Keyed hash of the collection; nil for all.
    var collectionKey: [UInt8]?
    /// Only later changes.
    var after: Int64
    /// Removed documents are left out up to this position.
    var removalsAfter: Int64

    /// Documents of one page: with the longest names 22 KiB, so that a page fits a public frame
    /// (128 KiB) with its JSON.
    private static let documentsMax = 100
    /// JSON texts of one page, in bytes. A single document may not exceed it.
    private static let bytesMax: Int64 = 96 * 1_024

    /// By default all documents that are not removed.
    package init(
        collectionKey: [UInt8]? = nil, after: Int64 = 0, removalsAfter: Int64 = .max
    ) {
        self.collectionKey = collectionKey
        self.after = after
        self.removalsAfter = removalsAfter
    }

    /// How many of the next documents are on a page: those whose sizes are `bytes`, in order.
    fileprivate static func count(_ bytes: [Int64]) -> Int {
        var sum: Int64 = 0
        let fitting = bytes.prefix(documentsMax).prefix { size in
            sum += size
            return sum <= bytesMax
        }
        return fitting.count
    }

    fileprivate static let rowsRead = Int64(documentsMax + 1)
}

extension SQLSession {
    /// The document under a keyed hash of its collection and name, also a removed one.
    func documentRow(_ nameKey: [UInt8], of account: AccountID) throws -> DocumentRow? {
        try queryOne(
            "SELECT \(DocumentRow.columns) FROM documents WHERE account = ? AND name_key = ?",
            [.integer(account.key), .blob(nameKey)]
        ) { try DocumentRow($0) }
    }

    /// The same without its content, which is not read.
    func documentState(_ nameKey: [UInt8], of account: AccountID) throws -> DocumentState? {
        try queryOne(
            """
            SELECT document, version, bytes, is_removed FROM documents
            WHERE account = ? AND name_key = ?
            """, [.integer(account.key), .blob(nameKey)]
        ) { row in
            DocumentState(
                rowKey: try row.integer("document"), version: try row.integer("version"),
                bytes: try row.integer("bytes"), isRemoved: try row.boolean("is_removed"))
        }
    }

    /// The position of the document under a keyed hash, also of a removed one.
    func documentPosition(_ nameKey: [UInt8], of account: AccountID) throws -> Int64? {
        try queryOne(
            "SELECT position FROM documents WHERE account = ? AND name_key = ?",
            [.integer(account.key), .blob(nameKey)]
        ) { try $0.integer(0) }
    }

    /// The next documents of a guest that are to be moved into an account: those that exist, and
    /// were not refused there.
    func movableDocuments(of guest: AccountID, limit: Int) throws -> [DocumentRow] {
        try query(
            """
            SELECT \(DocumentRow.columns) FROM documents
            WHERE account = ? AND is_removed = 0 AND NOT EXISTS (
                SELECT 1 FROM guest_migration_documents AS refused
                WHERE refused.document = documents.document)
            ORDER BY position LIMIT ?
            """, [.integer(guest.key), .integer(Int64(limit))]
        ) { try DocumentRow($0) }
    }

    /// The next page of documents.
    /// - Throws: `SQLError`.
    package func documentPage(
        _ selection: DocumentSelection, of account: AccountID
    ) throws -> DocumentPage {
        let condition: [SQLValue] = [
            .integer(account.key), .integer(selection.after), SQLValue(selection.collectionKey),
            .integer(selection.removalsAfter),
        ]
        // The sizes first: the texts of all could be many times those of a page.
        let next = try query(
            """
            SELECT position, bytes FROM documents
            WHERE account = ?1 AND position > ?2
              AND (CAST(?3 AS BYTEA) IS NULL OR collection_key = ?3)
              AND (is_removed = 0 OR position > ?4)
            ORDER BY position LIMIT ?5
            """,
            condition + [.integer(DocumentSelection.rowsRead)]
        ) { (position: try $0.integer(0), bytes: try $0.integer(1)) }
        let count = DocumentSelection.count(next.map(\.bytes))
        guard count > 0 else { return DocumentPage(rows: [], hasMore: false) }
        let rows = try query(
            """
            SELECT \(DocumentRow.columns) FROM documents
            WHERE account = ?1 AND position > ?2
              AND (CAST(?3 AS BYTEA) IS NULL OR collection_key = ?3)
              AND (is_removed = 0 OR position > ?4)
              AND position <= ?5
            ORDER BY position
            """,
            condition + [.integer(next[count - 1].position)]
        ) { try DocumentRow($0) }
        return DocumentPage(rows: rows, hasMore: count < next.count)
    }
}

extension Transaction {
    /// Inserts a document.
    func insert(
        _ row: DocumentRow, collectionKey: [UInt8], nameKey: [UInt8], of account: AccountID
    ) throws {
        try put(
            """
            INSERT INTO documents
                (document, account, collection_key, name_key, version, position, payload, bytes,
                 changed_at_ms, is_removed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(row.rowKey), .integer(account.key), .blob(collectionKey),
                .blob(nameKey), .integer(row.version), .integer(row.position),
                .blob(row.payload), .integer(row.bytes), SQLValue(row.changedAt),
                SQLValue(row.isRemoved),
            ])
    }

    /// Replaces the content of a document's row.
    func update(_ row: DocumentRow) throws {
        try put(
            """
            UPDATE documents SET version = ?, position = ?, payload = ?, bytes = ?,
                changed_at_ms = ?, is_removed = ?
            WHERE document = ?
            """,
            [
                .integer(row.version), .integer(row.position), .blob(row.payload),
                .integer(row.bytes), SQLValue(row.changedAt), SQLValue(row.isRemoved),
                .integer(row.rowKey),
            ])
    }

    /// Stores the sum of an account's documents.
    func setTotals(_ totals: DocumentTotals, of account: AccountID) throws {
        try put(
            """
            INSERT INTO document_totals
                (account, documents, bytes, removals, position, oldest_position)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                documents = excluded.documents, bytes = excluded.bytes,
                removals = excluded.removals, position = excluded.position,
                oldest_position = excluded.oldest_position
            """,
            [
                .integer(account.key), .integer(totals.documents), .integer(totals.bytes),
                .integer(totals.removals), .integer(totals.position),
                .integer(totals.oldestPosition),
            ])
    }

    /// Deletes the rows of the `count` removals that are the longest ago.
    /// - Returns: the position of the last of them, after which a follower can still resume.
    func forgetRemovals(_ count: Int64, of account: AccountID) throws -> Int64 {
        let positions = try query(
            """
            SELECT position FROM documents WHERE account = ? AND is_removed = 1
            ORDER BY position LIMIT ?
            """,
            [.integer(account.key), .integer(count)]
        ) { try $0.integer(0) }
        guard let last = positions.last else {
            throw SQLError(.unexpectedValue, detail: "document_totals counts too many removals")
        }
        try put(
            "DELETE FROM documents WHERE account = ? AND is_removed = 1 AND position <= ?",
            [.integer(account.key), .integer(last)])
        return last
    }
}
