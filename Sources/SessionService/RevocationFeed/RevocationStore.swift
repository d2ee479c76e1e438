import Contracts
import Messages
import ServiceRuntime
import Storage

extension SQLSession {
    /// Revocations after a position, in their order.
    func revocations(after position: UInt64, countMax: Int) throws -> [Revocation] {
        try query(
            """
            SELECT number, session, ended_at_ms, reason FROM session_end
            WHERE number > ? ORDER BY number LIMIT ?
            """,
            [.integer(Int64(clamping: position)), .integer(Int64(countMax))], Revocation.init)
    }

    /// All revocations after a moment, in their order.
    func revocations(since moment: Timestamp) throws -> [Revocation] {
        try query(
            """
            SELECT number, session, ended_at_ms, reason FROM session_end
            WHERE ended_at_ms > ? ORDER BY number
            """,
            [SQLValue(moment)], Revocation.init)
    }

    /// The position of the last revocation ever written; 0 before the first.
    func lastRevocationPosition() throws -> UInt64 {
        let number = try queryOne(
            "SELECT seq FROM sqlite_sequence WHERE name = 'session_end'"
        ) { try $0.integer(0) }
        return UInt64(clamping: number ?? 0)
    }
}

extension Transaction {
    /// How long the row of a revocation is kept: longer than any setting lets an access token live,
    /// plus the leeway of verifiers.
    static var revocationsKeptFor: Duration { .seconds(7_200) }
    /// Old rows purged with each new one, so that the table shrinks while in use.
    private static var revocationsPurgedAtOnce: Int64 { 2 }

    /// Adds a session's end to the feed. Required for every statement that ends a session,
    /// otherwise followers miss it.
    func recordRevocation(of id: SessionID, _ reason: EndReason) throws {
        try execute(
            "INSERT INTO session_end (session, ended_at_ms, reason) VALUES (?, ?, ?)",
            [.integer(id.key), SQLValue(at), .integer(reason.rawValue)])
        try execute(
            """
            DELETE FROM session_end
            WHERE number IN (SELECT number FROM session_end ORDER BY number LIMIT ?)
            AND ended_at_ms < ?
            """,
            [.integer(Self.revocationsPurgedAtOnce), SQLValue(at - Self.revocationsKeptFor)])
    }
}

extension Revocation {
    fileprivate init(_ row: SQLRow) throws {
        guard let session = SessionID(key: try row.integer(1)) else {
            throw SQLError(.unexpectedValue, detail: "session_end.session")
        }
        self.init(
            position: UInt64(clamping: try row.integer(0)), session: session,
            at: try row.timestamp(2),
            reason: SessionV1.EndReason(rawValue: Int32(clamping: try row.integer(3))))
    }
}
