import Cryptography
import ServiceRuntime
import Storage

/// What is kept of the sessions of deleted accounts: a keyed hash of each one's number, for as long
/// as ended sessions are kept. A token names its session, so its holder learns that the account no
/// longer exists (G-29). The hash leads to no account and to no person.
extension SQLSession {
    /// Whether a session without a row was one of a deleted account.
    func isOfDeletedAccount(_ session: SessionID, _ keys: SessionKeys) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM deleted_session WHERE session_key = ?",
            [.blob(keys.deletedSessionKey(session))]
        ) { _ in true } ?? false
    }
}

extension Transaction {
    /// Records that the account of a session was deleted.
    func recordDeleted(_ session: SessionID, _ keys: SessionKeys) throws {
        try put(
            """
            INSERT INTO deleted_session (session_key, deleted_at_ms) VALUES (?, ?)
            ON CONFLICT (session_key) DO NOTHING
            """,
            [.blob(keys.deletedSessionKey(session)), SQLValue(at)])
    }
}

extension SessionKeys {
    fileprivate func deletedSessionKey(_ session: SessionID) -> [UInt8] {
        withUnsafeBytes(of: session.key.bigEndian) { deletedSessions.lookUpKey($0) }
    }
}
