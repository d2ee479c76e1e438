import ServiceRuntime
import Storage

extension Subject {
    /// A session's row.
    ///
    /// A refresh knows no account before it reads, so flows of one session are about its row. A
    /// flow about all sessions of an account locks each that it ends as well.
    static func session(_ session: SessionID) -> Subject { .row("session", session.key) }
}

extension Transaction {
    /// Inserts a session.
    func insert(_ session: Session, on device: SessionDevice.Stored) throws {
        try put(
            """
            INSERT INTO session (
                id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                methods, platform, device, rotated_at_ms, device_key, device_name, generation,
                place, agent, ends_at_ms, has_claims)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(session.id.key), .integer(session.account.key),
                .integer(session.counter), SQLValue(session.createdAt),
                SQLValue(session.usedAt), SQLValue(session.proofs.latest.at),
                SQLValue(session.provedAt), session.proofs.latest.methodsValue,
                SQLValue(device.platform), SQLValue(session.device),
                SQLValue(session.rotatedAt), SQLValue(session.deviceKey?.bytes),
                SQLValue(device.sealedName), .integer(session.generation),
                SQLValue(device.sealedPlace), SQLValue(device.sealedAgent),
                SQLValue(session.endsAt), SQLValue(session.hasClaims),
            ])
    }

    /// Stores a session's new leaf and its time of use.
    func rotate(_ session: Session) throws {
        try putOne(
            """
            UPDATE session SET counter = ?, used_at_ms = ?, rotated_at_ms = ?
            WHERE id = ? AND counter = ? AND ended_at_ms IS NULL
            """,
            [
                .integer(session.counter), SQLValue(session.usedAt), SQLValue(session.rotatedAt),
                .integer(session.id.key), .integer(session.counter - 1),
            ])
    }

    /// Stores a reauthentication. `proved_at_ms` and `generation` stay those of the opening proof:
    /// `endAccountSessions` distinguishes old sessions from new ones by them.
    func recordProofs(of session: Session) throws {
        try putOne(
            """
            UPDATE session SET auth_time_ms = ?, methods = ?, proofs = ?, used_at_ms = ?
            WHERE id = ? AND ended_at_ms IS NULL
            """,
            [
                SQLValue(session.proofs.latest.at), session.proofs.latest.methodsValue,
                SQLValue(session.proofs.text), SQLValue(session.usedAt),
                .integer(session.id.key),
            ])
    }

    /// Stores a session's end and adds it to the revocation feed.
    func recordEnd(of id: SessionID, _ reason: EndReason) throws {
        try putOne(
            """
            UPDATE session SET ended_at_ms = ?, end_reason = ? WHERE id = ? AND ended_at_ms IS NULL
            """,
            [SQLValue(at), .integer(reason.rawValue), .integer(id.key)])
        try recordRevocation(of: id, reason)
    }
}

extension SQLSession {
    /// The session `id`; nil when there is none.
    func session(_ id: SessionID) throws -> Session? {
        try queryOne(
            "SELECT \(Session.columns) FROM session WHERE id = ?",
            [.integer(id.key)], Session.init)
    }

    /// The number of an account's sessions without a stored end.
    func openSessionCount(of account: AccountID) throws -> Int {
        let count = try queryOne(
            "SELECT count(*) FROM session WHERE account = ? AND ended_at_ms IS NULL",
            [.integer(account.key)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }

    /// An account's sessions without a stored end.
    func openSessions(of account: AccountID) throws -> [Session] {
        try query(
            "SELECT \(Session.columns) FROM session WHERE account = ? AND ended_at_ms IS NULL",
            [.integer(account.key)], Session.init)
    }

    /// The next sessions by key without a stored end.
    func openSessions(after key: Int64, limit: Int) throws -> [Session] {
        try query(
            """
            SELECT \(Session.columns) FROM session
            WHERE id > ? AND ended_at_ms IS NULL ORDER BY id LIMIT ?
            """,
            [.integer(key), .integer(Int64(limit))], Session.init)
    }

    /// An account's sessions without a stored end, each with its device.
    func openSessionsWithDevices(
        of account: AccountID
    ) throws -> [(session: Session, device: SessionDevice.Stored)] {
        try query(
            """
            SELECT \(Session.columns), \(SessionDevice.columns) FROM session
            WHERE account = ? AND ended_at_ms IS NULL
            """,
            [.integer(account.key)]
        ) { try $0.sessionAndDevice() }
    }

    /// The next ended sessions of an account by key, each with its device.
    func endedSessionsWithDevices(
        of account: AccountID, after key: Int64, limit: Int
    ) throws -> [(session: Session, device: SessionDevice.Stored)] {
        try query(
            """
            SELECT \(Session.columns), \(SessionDevice.columns) FROM session
            WHERE account = ? AND ended_at_ms IS NOT NULL AND id > ? ORDER BY id LIMIT ?
            """,
            [.integer(account.key), .integer(key), .integer(Int64(limit))]
        ) { try $0.sessionAndDevice() }
    }

    /// The device of a session; nil when there is no such session.
    func storedDevice(of id: SessionID) throws -> SessionDevice.Stored? {
        try queryOne(
            "SELECT \(SessionDevice.columns) FROM session WHERE id = ?",
            [.integer(id.key)], SessionDevice.Stored.init)
    }
}

extension SessionProof {
    fileprivate var methodsValue: SQLValue { .text(methods.joined(separator: " ")) }
}

extension Session {
    /// The columns that `init` reads.
    fileprivate static let columns = """
        id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms, methods, \
        ended_at_ms, end_reason, rotated_at_ms, device, device_key, proofs, generation, \
        ends_at_ms, has_claims
        """

    /// Parses a row of `columns`.
    fileprivate init(_ row: SQLRow) throws {
        id = try row.identifier("id")
        account = try row.identifier("account")
        counter = try row.integer("counter")
        createdAt = try row.timestamp("created_at_ms")
        usedAt = try row.timestamp("used_at_ms")
        provedAt = try row.timestamp("proved_at_ms")
        proofs = try SessionProofs(
            stored: try row.optionalText("proofs"),
            latest: SessionProof(
                methods: try row.text("methods").split(separator: " ").map(String.init),
                at: try row.timestamp("auth_time_ms")))
        end = try row.optionalTimestamp("ended_at_ms").map {
            End(at: $0, reason: try row.endReason("end_reason"))
        }
        rotatedAt = try row.timestamp("rotated_at_ms")
        device = try row.optionalBlob("device")
        deviceKey = try row.optionalBlob("device_key").map { try DeviceKey(stored: $0) }
        generation = try row.integer("generation")
        endsAt = try row.optionalTimestamp("ends_at_ms")
        hasClaims = try row.boolean("has_claims")
    }
}

extension SessionDevice {
    /// The columns that `Stored.init` reads.
    fileprivate static let columns = "platform, device_name, place, agent"
}

extension SessionDevice.Stored {
    /// Parses a row of `SessionDevice.columns`.
    fileprivate init(_ row: SQLRow) throws {
        platform = try row.optionalText("platform")
        sealedName = try row.optionalBlob("device_name")
        sealedPlace = try row.optionalBlob("place")
        sealedAgent = try row.optionalBlob("agent")
    }
}

extension SQLRow {
    /// A session with its device, of a row of both types' columns.
    fileprivate func sessionAndDevice() throws -> (session: Session, device: SessionDevice.Stored) {
        (try Session(self), try SessionDevice.Stored(self))
    }

    /// The id in `column`.
    func identifier<Kind>(_ column: SQLColumn) throws -> Identifier<Kind> {
        guard let id = Identifier<Kind>(key: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "column \(column) does not hold a row key")
        }
        return id
    }

    fileprivate func endReason(_ column: SQLColumn) throws -> EndReason {
        guard let reason = EndReason(rawValue: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "column \(column) does not hold a reason")
        }
        return reason
    }
}
