package import ServiceRuntime

/// An event about an account, as its owner may read it: without hashes, and without the operator's
/// name.
package struct AccountHistoryEvent: Sendable {
    /// When it happened.
    package let at: Timestamp
    /// Its kind, as in `AuditKind`.
    package let kind: String
    /// The session's key; nil for none.
    package let session: Int64?
    /// The error code of a refusal; nil for a success.
    package let outcome: String?
    /// The app that called; nil for none.
    package let app: String?
}

extension Store {
    /// Rows of the trail that one read looks at. The trail has no index by account: only exports
    /// would use it, and in a refresh, which writes an event, SQLite's part would take 1.5 times as
    /// long. To read a million rows takes 0.1 s.
    private static let rowsAtOnce: Int64 = 10_000

    /// Reads the events about an account, the oldest first.
    /// - Parameters:
    ///   - account: its key.
    ///   - subject: the keyed hash by which a service names it; nil if it has none.
    /// - Throws: as `read` and `number`, what `body` throws.
    package func readHistory(
        of account: Int64, subject: [UInt8]? = nil,
        _ body: (AccountHistoryEvent) async throws -> Void
    ) async throws {
        try await number(.audit)
        let last = try await read { session in
            try session.queryOne("SELECT coalesce(max(number), 0) FROM audit") {
                try $0.integer(0)
            } ?? 0
        }
        var after: Int64 = 0
        while after < last {
            try Task.checkCancellation()
            let (from, to) = (after, after + Self.rowsAtOnce)
            let events = try await read {
                try $0.history(of: account, subject: subject, after: from, upTo: to)
            }
            for event in events { try await body(event) }
            after = to
        }
    }
}

extension SQLSession {
    fileprivate func history(
        of account: Int64, subject: [UInt8]?, after: Int64, upTo last: Int64
    ) throws -> [AccountHistoryEvent] {
        try query(
            """
            SELECT at_ms, kind, session, outcome, app FROM audit
            WHERE number > ? AND number <= ? AND (account = ? OR subject = ?) ORDER BY number
            """,
            [.integer(after), .integer(last), .integer(account), SQLValue(subject)]
        ) { row in
            AccountHistoryEvent(
                at: try row.timestamp(0), kind: try row.text(1),
                session: try row.optionalInteger(2), outcome: try row.optionalText(3),
                app: try row.optionalText(4))
        }
    }
}
