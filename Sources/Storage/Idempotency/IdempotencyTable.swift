package import ServiceRuntime

/// The memory of calls that had an effect (G-25): the key of each, a fingerprint of its request,
/// and its answer, written in the transaction of the effect. So a repeat, also one after a crash
/// or a lost answer, is given the first answer and does nothing twice.
///
/// A key is a keyed hash over `(application, method, idempotency key)`; the fingerprint is a keyed
/// hash over the request without its secrets; the answer is whatever the service needs to give the
/// same one again, sealed where it is secret.
package enum IdempotencyTable {
    /// Bytes of a key.
    package static let keyBytes = 16
    /// How long an answer is kept: longer than any caller retries.
    package static let answersKeptFor: Duration = .seconds(24 * 3_600)

    /// What is known of a call.
    package enum Memory: Hashable, Sendable {
        /// Nothing: do it, and `remember` it.
        case fresh
        /// It was done; this was its answer.
        case repeated(answer: [UInt8])
        /// The key was used for another request: `auth/idempotency-key-reused`.
        case mismatch
    }
}

extension Transaction {
    /// Looks a call up by its key.
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

    /// Keeps a call's answer, and drops a few that are too old.
    package func remember(key: [UInt8], fingerprint: [UInt8], answer: [UInt8]) throws {
        precondition(key.count == IdempotencyTable.keyBytes, "a key is a 16-byte keyed hash")
        try purge("idempotency") { rowsMax in
            try forgetAnswers(
                before: at - IdempotencyTable.answersKeptFor, limit: Int(rowsMax))
        }
        // An answer under the same key is an old one that the purge has not come to.
        try execute("DELETE FROM idempotency WHERE key_hash = ?", [.blob(key)])
        try execute(
            """
            INSERT INTO idempotency (key_hash, fingerprint, answer, created_at_ms)
            VALUES (?, ?, ?, ?)
            """,
            [.blob(key), .blob(fingerprint), .blob(answer), SQLValue(at)])
    }

    /// Drops answers from `moment` or before, among the `limit` oldest.
    /// - Returns: how many.
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
