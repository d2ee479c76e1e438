import Cryptography
import ServiceRuntime
import Storage

/// A refresh token key in the store.
struct StoredTokenKey: Hashable, Sendable {
    /// 1 … 255; part of each token.
    let id: UInt8
    /// The key, sealed.
    let sealed: [UInt8]
    let madeAt: Timestamp
    /// When the next key replaced it; nil for the current one.
    let supersededAt: Timestamp?
}

extension SQLSession {
    /// All keys, in the order of their ids.
    func tokenKeys() throws -> [StoredTokenKey] {
        try query(
            "SELECT id, sealed_key, made_at_ms, superseded_at_ms FROM token_key ORDER BY id"
        ) { row in
            guard let id = UInt8(exactly: try row.integer(0)) else {
                throw SQLError(.unexpectedValue, detail: "token_key.id")
            }
            return StoredTokenKey(
                id: id, sealed: try row.blob(1), madeAt: try row.timestamp(2),
                supersededAt: try row.optionalTimestamp(3))
        }
    }
}

extension Transaction {
    /// Adds a key as the current one.
    func supersede(by key: StoredTokenKey) throws {
        try execute(
            "UPDATE token_key SET superseded_at_ms = ? WHERE superseded_at_ms IS NULL",
            [SQLValue(at)])
        try execute(
            "INSERT INTO token_key (id, sealed_key, made_at_ms) VALUES (?, ?, ?)",
            [.integer(Int64(key.id)), .blob(key.sealed), SQLValue(key.madeAt)])
        try audit(AuditEvent(.refreshKeyMade))
    }

    /// Deletes keys that were superseded at `moment` or before.
    func forgetTokenKeys(supersededBy moment: Timestamp) throws {
        try execute("DELETE FROM token_key WHERE superseded_at_ms <= ?", [SQLValue(moment)])
    }
}

extension SealedPlace {
    /// The sealing context of a refresh token key.
    static func tokenKey(_ id: UInt8) -> SealedPlace {
        SealedPlace(table: "token_key", column: "sealed_key", row: Int64(id))
    }
}
