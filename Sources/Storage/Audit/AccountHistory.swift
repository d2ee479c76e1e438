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
    /// Rows of the trail that one read looks at, and events from blocks after which one ends.
    private static let rowsAtOnce: Int64 = 10_000
    /// Blocks that one read looks into: some 2 ms.
    private static let blocksAtOnce: Int64 = 256

    /// Reads the events about an account, the oldest first: by `AuditBlocks`, and what is not in a
    /// block yet by reading it.
    /// - Parameters:
    ///   - account: its key.
    ///   - subject: the keyed hash by which a service names it; nil if it has none. With one the
    ///     whole trail is read, since blocks name accounts only: this is for a short trail, of a
    ///     few rows a message.
    /// - Throws: as `write`, `SQLError`, `CancellationError`, what `body` throws.
    package func readHistory(
        of account: Int64, subject: [UInt8]? = nil,
        _ body: (AccountHistoryEvent) async throws -> Void
    ) async throws {
        var after: Int64 = 0
        if subject == nil, let last = try await makeAuditBlocks() {
            try await readBlocks(upTo: last, of: account, body)
            after = (last + 1) * AuditBlocks.rows
        }
        let last = try await read { session in
            try session.queryOne("SELECT coalesce(max(number), 0) FROM audit") {
                try $0.integer(0)
            } ?? 0
        }
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

    private func readBlocks(
        upTo last: Int64, of account: Int64, _ body: (AccountHistoryEvent) async throws -> Void
    ) async throws {
        guard var next = try await read({ try $0.firstAuditBlock() }) else { return }
        while next <= last {
            try Task.checkCancellation()
            let blocks = next...min(last, next + Self.blocksAtOnce - 1)
            let (events, end) = try await read { session in
                var events: [AccountHistoryEvent] = []
                for block in blocks {
                    events += try session.history(of: account, inBlock: block)
                    if events.count >= Self.rowsAtOnce { return (events, block) }
                }
                return (events, blocks.upperBound)
            }
            for event in events { try await body(event) }
            next = end + 1
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
        ) { try AccountHistoryEvent($0) }
    }

    fileprivate func history(
        of account: Int64, inBlock block: Int64
    ) throws -> [AccountHistoryEvent] {
        try query(
            """
            SELECT audit.at_ms, audit.kind, audit.session, audit.outcome, audit.app
            FROM audit_block JOIN audit ON audit.number = audit_block.number
            WHERE audit_block.block = ? AND audit_block.account = ? ORDER BY audit_block.number
            """, [.integer(block), .integer(account)]
        ) { try AccountHistoryEvent($0) }
    }
}

extension AccountHistoryEvent {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            at: try row.timestamp(0), kind: try row.text(1), session: try row.optionalInteger(2),
            outcome: try row.optionalText(3), app: try row.optionalText(4))
    }
}
