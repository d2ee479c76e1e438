import ServiceRuntime
import Storage

extension Transaction {
    /// Adds a session.
    func insert(_ session: Session, on device: SessionDevice) throws {
        try execute(
            """
            INSERT INTO session (
                id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                methods, platform, device)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(session.id.key), .integer(session.account.key),
                .integer(session.counter), SQLValue(session.createdAt),
                SQLValue(session.usedAt), SQLValue(session.authenticatedAt),
                SQLValue(session.provedAt), .text(session.methods.joined(separator: " ")),
                SQLValue(device.platform), SQLValue(device.device),
            ])
    }

    /// Keeps a session's new leaf and moment of use.
    func rotate(_ session: Session) throws {
        let changed = try execute(
            """
            UPDATE session SET counter = ?, used_at_ms = ?
            WHERE id = ? AND counter = ? AND ended_at_ms IS NULL
            """,
            [
                .integer(session.counter), SQLValue(session.usedAt), .integer(session.id.key),
                .integer(session.counter - 1),
            ])
        try requireOne(changed, "rotated")
    }

    /// Notes a session's end.
    func noteEnd(of id: SessionID, _ reason: EndReason) throws {
        let changed = try execute(
            """
            UPDATE session SET ended_at_ms = ?, end_reason = ? WHERE id = ? AND ended_at_ms IS NULL
            """,
            [SQLValue(at), .integer(reason.rawValue), .integer(id.key)])
        try requireOne(changed, "ended")
        try placeEnd(of: id, reason)
    }

    /// The sessions of an account that have no noted end.
    func openSessions(of account: AccountID) throws -> [Session] {
        try query(
            """
            SELECT id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                   methods, ended_at_ms, end_reason
            FROM session WHERE account = ? AND ended_at_ms IS NULL
            """,
            [.integer(account.key)], Session.init)
    }

    private func requireOne(_ changed: Int, _ what: String) throws {
        guard changed == 1 else {
            throw ServiceError(.internalError, detail: "\(changed) sessions \(what) for one")
        }
    }
}

extension SQLSession {
    /// The session `id`; nil when there is none.
    func session(_ id: SessionID) throws -> Session? {
        try queryOne(
            """
            SELECT id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                   methods, ended_at_ms, end_reason
            FROM session WHERE id = ?
            """,
            [.integer(id.key)], Session.init)
    }

    /// What ended after `moment`.
    func sessionsEnded(after moment: Timestamp) throws -> [EndedSession] {
        try query(
            "SELECT id, ended_at_ms FROM session WHERE ended_at_ms > ? ORDER BY ended_at_ms",
            [SQLValue(moment)]
        ) { EndedSession(id: try $0.identifier(0), at: try $0.timestamp(1)) }
    }
}

extension Session {
    /// Reads a row: id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
    /// methods, ended_at_ms, end_reason.
    fileprivate init(_ row: SQLRow) throws {
        id = try row.identifier(0)
        account = try row.identifier(1)
        counter = try row.integer(2)
        createdAt = try row.timestamp(3)
        usedAt = try row.timestamp(4)
        authenticatedAt = try row.timestamp(5)
        provedAt = try row.timestamp(6)
        methods = try row.text(7).split(separator: " ").map(String.init)
        end = try row.optionalTimestamp(8).map { End(at: $0, reason: try row.endReason(9)) }
    }
}

extension SQLRow {
    fileprivate func identifier<Kind>(_ column: Int) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(key: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "column \(column) does not hold a row key")
        }
        return id
    }

    fileprivate func endReason(_ column: Int) throws -> EndReason {
        guard let reason = EndReason(rawValue: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "column \(column) does not hold a reason")
        }
        return reason
    }
}
