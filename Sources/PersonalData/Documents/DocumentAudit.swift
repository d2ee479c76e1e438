package import IdentityService
package import ServiceRuntime
package import Storage

/// What the audit trail has of an owner's changes of documents: of each account, kind and
/// hour the first at once, and one record more with the number of the others when the hour is over.
///
/// Attack: an account writes as often as it may, once a second, and each write is a record that is
/// kept for two years. The first is at once, since webhooks may follow it.
///
/// A backend's changes are recorded one by one, with who made them.
enum DocumentAudit {
    /// The length of one aggregation window.
    private static let interval = Duration.seconds(3_600)

    /// The window, in hours since 1970, that a moment falls into.
    fileprivate static func hour(of moment: Timestamp) -> Int64 {
        moment.milliseconds / interval.milliseconds
    }

    /// Writes the records of hours that are over, and deletes their counts.
    static let purge = Purge { session, now in
        try session.queryOne(
            "SELECT 1 FROM document_changes WHERE hour < ? LIMIT 1", [.integer(hour(of: now))]
        ) { _ in true } ?? false
    } remove: { transaction, rowsMax in
        try transaction.recordDocumentChanges(limit: rowsMax)
    }
}

extension IdentityTables {
    /// Documents that an account has changed in an hour, without those that were recorded at once.
    package static let documentChanges = """
        CREATE TABLE document_changes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            hour INTEGER NOT NULL,
            account INTEGER NOT NULL,
            kind TEXT NOT NULL,
            documents INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX document_changes_key ON document_changes (account, kind, hour);
        CREATE INDEX document_changes_by_hour ON document_changes (hour);
        """
}

extension Transaction {
    /// Records that a call has written documents.
    /// - Parameter count: their number.
    func audit(_ count: Int, writtenBy call: AccountCall) throws {
        try audit(count, call.backend == nil ? .documentWritten : .documentWrittenByBackend, call)
    }

    /// Records that a call has removed a document.
    func auditRemoval(by call: AccountCall) throws {
        try audit(1, call.backend == nil ? .documentRemoved : .documentRemovedByBackend, call)
    }

    private func audit(_ count: Int, _ kind: AuditKind, _ call: AccountCall) throws {
        var event = AuditEvent(kind, account: call.account.key, attempt: Int64(count))
        event.actor = call.backend?.actor
        guard call.backend == nil else { return try audit(event.from(call.origin)) }
        let key: [SQLValue] = [
            .integer(DocumentAudit.hour(of: at)), .integer(call.account.key), .text(kind.rawValue),
        ]
        let isFirst =
            try execute(
                """
                UPDATE document_changes SET documents = documents + ?4
                WHERE hour = ?1 AND account = ?2 AND kind = ?3
                """, key + [.integer(Int64(count))]) == 0
        guard isFirst else { return }
        try put(
            "INSERT INTO document_changes (hour, account, kind, documents) VALUES (?, ?, ?, 0)", key
        )
        try audit(event.from(call.origin))
    }

    /// Writes the records of hours that are over.
    /// - Returns: the number of deleted counts, at most `limit`.
    fileprivate func recordDocumentChanges(limit: Int) throws -> Int {
        try recordDocumentChanges(
            """
            number IN (SELECT number FROM document_changes WHERE hour < ?1 ORDER BY hour LIMIT ?2)
            AND hour < ?1
            """, [.integer(DocumentAudit.hour(of: at)), .integer(Int64(limit))])
    }

    /// Writes the records of an account that is deleted.
    /// - Returns: the number of deleted counts.
    /// - Throws: `SQLError`.
    package func recordDocumentChanges(of account: AccountID) throws -> Int {
        try recordDocumentChanges("account = ?1", [.integer(account.key)])
    }

    private func recordDocumentChanges(_ condition: String, _ values: [SQLValue]) throws -> Int {
        let counts = try query(
            """
            DELETE FROM document_changes WHERE \(condition)
            RETURNING number, account, kind, documents
            """, values
        ) { row in
            (
                number: try row.integer("number"), account: try row.integer("account"),
                kind: AuditKind(rawValue: try row.text("kind")),
                documents: try row.integer("documents")
            )
        }
        // The rows of a deletion have no order.
        for count in counts.sorted(by: { $0.number < $1.number }) where count.documents > 0 {
            guard let kind = count.kind else { continue }
            try audit(AuditEvent(kind, account: count.account, attempt: count.documents))
        }
        return counts.count
    }
}
