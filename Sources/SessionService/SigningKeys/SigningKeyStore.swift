import Cryptography
import ServiceRuntime
import Storage

/// A signing key as the store keeps it.
struct StoredSigningKey: Hashable, Sendable {
    let id: Int64
    let state: SigningKeyState
    /// The public point's coordinates.
    let x: [UInt8]
    let y: [UInt8]
    /// The private number, sealed; nil once the key signs no more.
    let privateNumber: [UInt8]?
}

extension Transaction {
    /// All keys of which tokens verify.
    func signingKeys() throws -> [StoredSigningKey] {
        try query(
            "SELECT id, state, x, y, private_number FROM signing_key WHERE state < ? ORDER BY id",
            [.integer(SigningKeyState.retired.rawValue)]
        ) { row in
            guard let state = SigningKeyState(rawValue: try row.integer(1)) else {
                throw SQLError(.unexpectedValue, detail: "signing_key.state")
            }
            return StoredSigningKey(
                id: try row.integer(0), state: state, x: try row.blob(2), y: try row.blob(3),
                privateNumber: try row.optionalBlob(4))
        }
    }

    /// Adds a key.
    func insert(_ key: StoredSigningKey) throws {
        try execute(
            """
            INSERT INTO signing_key (id, state, x, y, private_number, made_at_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(key.id), .integer(key.state.rawValue), .blob(key.x), .blob(key.y),
                SQLValue(key.privateNumber), SQLValue(at),
            ])
    }
}

extension SealedPlace {
    /// Where the sealed private number of a signing key belongs.
    static func signingKey(_ id: Int64) -> SealedPlace {
        SealedPlace(table: "signing_key", column: "private_number", row: id)
    }
}
