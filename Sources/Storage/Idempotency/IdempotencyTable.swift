package import ServiceRuntime

/// Stored responses of calls that had an effect (G-25): each call's key, a fingerprint of its
/// request, and its response, written in the transaction of the effect. A retry, also after a crash
/// or a lost response, gets the first response and repeats no effect.
///
/// A key is a keyed hash over `(application, method, idempotency key)`. The fingerprint is a keyed
/// hash over the request without its secrets. The response is what the service needs to return the
/// same one again, sealed where it is secret.
package enum IdempotencyTable {
    /// Bytes of a key.
    package static let keyBytes = 16
    /// How long a response is kept: longer than any caller retries.
    package static let answersKeptFor: Duration = .seconds(24 * 3_600)

    /// The result of looking up a call.
    package enum Memory: Hashable, Sendable {
        /// Not found: execute the call and `remember` it.
        case fresh
        /// Already executed; this was its response.
        case repeated(answer: [UInt8])
        /// The key was used for a different request: `auth/idempotency-key-reused`.
        case mismatch
    }
}

extension Transaction {
    /// Looks up a call by its key.
    /// - Throws: `SQLError`.
    package func remembered(
        key: [UInt8], fingerprint: [UInt8]
    ) throws -> IdempotencyTable.Memory {
        precondition(key.count == IdempotencyTable.keyBytes, "a key is a 16-byte keyed hash")
        let oldest = at - IdempotencyTable.answersKeptFor
        let found = try queryOne(
            """
            SELECT fingerprint, answer FROM idempotency WHERE key_hash = ? AND created_at_ms > ?
            """,
            [.blob(key), SQLValue(oldest)]
        ) { (fingerprint: try $0.blob(0), answer: try $0.blob(1)) }
        guard let found else { return .fresh }
        return found.fingerprint == fingerprint ? .repeated(answer: found.answer) : .mismatch
    }

    /// Stores a call's response, and deletes a few expired ones.
    /// - Throws: `SQLError`.
    package func remember(key: [UInt8], fingerprint: [UInt8], answer: [UInt8]) throws {
        precondition(key.count == IdempotencyTable.keyBytes, "a key is a 16-byte keyed hash")
        try purge("idempotency") { rowsMax in
            try forgetAnswers(
                before: at - IdempotencyTable.answersKeptFor, limit: Int(rowsMax))
        }
        // An existing response under this key has expired and was not yet purged.
        try execute("DELETE FROM idempotency WHERE key_hash = ?", [.blob(key)])
        try execute(
            """
            INSERT INTO idempotency (key_hash, fingerprint, answer, created_at_ms)
            VALUES (?, ?, ?, ?)
            """,
            [.blob(key), .blob(fingerprint), .blob(answer), SQLValue(at)])
    }

    /// Deletes responses created at `moment` or before, among the `limit` oldest.
    /// - Returns: how many.
    /// - Throws: `SQLError`.
    @discardableResult
    package func forgetAnswers(before moment: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM idempotency
            WHERE number IN (SELECT number FROM idempotency ORDER BY number LIMIT ?)
              AND created_at_ms <= ?
            """,
            [.integer(Int64(limit)), SQLValue(moment)])
    }
}
