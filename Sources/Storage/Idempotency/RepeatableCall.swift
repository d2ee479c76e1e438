package import Cryptography
package import ServiceRuntime

/// A call with an idempotency key (G-25). The key alone is unique only for its caller; with the
/// application and the method it identifies one call. The fingerprint shows whether a repeated call
/// has the same request.
package struct RepeatableCall: Sendable {
    private static let keyBytes = 1...255

    /// 16-byte keyed hash of application, method and idempotency key.
    package let key: [UInt8]
    /// Keyed hash of the request without its secrets.
    let fingerprint: [UInt8]

    /// The call in `context`; nil if it has no idempotency key.
    /// - Parameter parts: the request's fields that contain no secret.
    /// - Throws: `rpc/invalid-argument` when the key is empty or too long.
    package init?(
        _ method: String, _ parts: [[UInt8]], _ context: any IdempotentCall, hash: KeyedHash
    ) throws(ServiceError) {
        guard let idempotencyKey = context.idempotencyKey else { return nil }
        guard Self.keyBytes.contains(idempotencyKey.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["idempotency-key"])
        }
        let name = Array(method.utf8)
        key = hash.lookUpKey(
            DelimitedParts.joined([
                Array("key".utf8), Array(context.application.utf8), name,
                Array(idempotencyKey.utf8),
            ]))
        fingerprint = hash.hash(DelimitedParts.joined([Array("fingerprint".utf8), name] + parts))
    }

    /// A call of the gateway for a person; nil if it has no idempotency key. All of its request
    /// counts, so that a new field does too.
    /// - Parameters:
    ///   - name: the method's name in stored keys.
    ///   - method: its full name.
    ///   - caller: the account, or the session where the call is about sessions: two people of one
    ///     application who use one key must not get each other's answers.
    ///   - request: what a repeat must have in common with it, encoded.
    ///   - proof: what the call proves, where its repeats prove the same by other bytes.
    /// - Throws: `rpc/invalid-argument` when the key is empty or too long.
    package init?(
        _ name: String, of method: String, by caller: String, request: [UInt8],
        proving proof: [[UInt8]] = [], _ context: any IdempotentCall, hash: KeyedHash
    ) throws(ServiceError) {
        try self.init(
            name, [Array(method.utf8), Array(caller.utf8), request] + proof, context, hash: hash)
    }
}

extension SQLSession {
    /// The stored response of `call`; nil if the call is new or has no key.
    ///
    /// Call it in the transaction that writes the response. A call before that, in a read, only saves
    /// work: it does not see a first call that has not committed yet.
    /// - Parameter moment: now.
    /// - Throws: `auth/idempotency-key-reused` when the key was used for another request;
    ///   `SQLError`.
    package func remembered(
        of call: RepeatableCall?, at moment: Timestamp
    ) throws -> [UInt8]? {
        guard let call else { return nil }
        switch try remembered(key: call.key, fingerprint: call.fingerprint, at: moment) {
        case .fresh: return nil
        case .repeated(let answer): return answer
        case .mismatch: throw ServiceError(.idempotencyKeyReused)
        }
    }
}

extension Transaction {
    /// As `remembered(of:at:)`, at the time of the transaction.
    /// - Throws: as that.
    package func remembered(of call: RepeatableCall?) throws -> [UInt8]? {
        try remembered(of: call, at: at)
    }

    /// Stores the response of `call`, if it has a key.
    /// - Throws: `SQLError`.
    package func remember(_ call: RepeatableCall?, _ answer: [UInt8]) throws {
        guard let call else { return }
        try remember(key: call.key, fingerprint: call.fingerprint, answer: answer)
    }

    /// Replaces the stored response of `call`, if there is one, and not the time until which it is
    /// stored.
    /// - Throws: `SQLError`.
    package func replaceRemembered(_ call: RepeatableCall?, _ answer: [UInt8]) throws {
        guard let call else { return }
        try put(
            "UPDATE idempotency SET answer = ? WHERE key_hash = ?",
            [.blob(answer), .blob(call.key)])
    }
}

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
    /// How long a response is stored: longer than any caller retries.
    package static let retention: Duration = .seconds(24 * 3_600)

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

extension SQLSession {
    /// Looks up a call by its key.
    /// - Parameter moment: now.
    /// - Throws: `SQLError`.
    package func remembered(
        key: [UInt8], fingerprint: [UInt8], at moment: Timestamp
    ) throws -> IdempotencyTable.Memory {
        precondition(key.count == IdempotencyTable.keyBytes, "a key is a 16-byte keyed hash")
        let oldest = moment - IdempotencyTable.retention
        let found = try queryOne(
            """
            SELECT fingerprint, answer FROM idempotency WHERE key_hash = ? AND created_at_ms > ?
            """,
            [.blob(key), SQLValue(oldest)]
        ) { (fingerprint: try $0.blob(0), answer: try $0.blob(1)) }
        guard let found else { return .fresh }
        return found.fingerprint == fingerprint ? .repeated(answer: found.answer) : .mismatch
    }
}

extension Transaction {
    /// Looks up a call by its key, at the time of the transaction.
    /// - Throws: `SQLError`.
    package func remembered(
        key: [UInt8], fingerprint: [UInt8]
    ) throws -> IdempotencyTable.Memory {
        try remembered(key: key, fingerprint: fingerprint, at: at)
    }

    /// Stores a call's response.
    /// - Throws: `SQLError`.
    package func remember(key: [UInt8], fingerprint: [UInt8], answer: [UInt8]) throws {
        precondition(key.count == IdempotencyTable.keyBytes, "a key is a 16-byte keyed hash")
        // One that was not yet purged. A response that another flow has stored since this one
        // looked is not deleted: the insert fails, and the flow runs once more and finds it.
        try put(
            "DELETE FROM idempotency WHERE key_hash = ? AND created_at_ms <= ?",
            [.blob(key), SQLValue(at - IdempotencyTable.retention)])
        try put(
            """
            INSERT INTO idempotency (key_hash, fingerprint, answer, created_at_ms)
            VALUES (?, ?, ?, ?)
            """,
            [.blob(key), .blob(fingerprint), .blob(answer), SQLValue(at)])
    }
}
