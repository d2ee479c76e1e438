package import Cryptography
package import RPC
package import ServiceRuntime
package import Storage

/// A call by its idempotency key (G-25). The key alone is a caller's; together with the
/// application and the method it names one call, and the fingerprint tells whether a repeat asks
/// for the same.
package struct RepeatableCall: Sendable {
    private static let keyBytes = 1...255

    /// 16-byte keyed hash over application, method and idempotency key.
    package let key: [UInt8]
    /// Keyed hash over the request without its secrets.
    let fingerprint: [UInt8]

    /// The call that `context` names; nil where it carries no key.
    /// - Parameter parts: the request's fields that hold no secret.
    /// - Throws: `rpc/invalid-argument` where the key is empty or too long.
    package init?(
        _ method: StaticString, _ parts: [[UInt8]], _ context: CallContext, hash: KeyedHash
    ) throws(ServiceError) {
        guard let idempotencyKey = context.idempotencyKey else { return nil }
        guard Self.keyBytes.contains(idempotencyKey.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["idempotency-key"])
        }
        let name = Array(method.description.utf8)
        key = hash.lookUpKey(
            DelimitedParts.joined([
                Array("key".utf8), Array(context.application.utf8), name,
                Array(idempotencyKey.utf8),
            ]))
        fingerprint = hash.hash(DelimitedParts.joined([Array("fingerprint".utf8), name] + parts))
    }
}

extension Transaction {
    /// What was remembered of the first answer of `call`; nil where it is new, or carries no key.
    /// - Throws: `auth/idempotency-key-reused` where the key was another request's.
    package func remembered(of call: RepeatableCall?) throws -> [UInt8]? {
        guard let call else { return nil }
        switch try remembered(key: call.key, fingerprint: call.fingerprint) {
        case .fresh: return nil
        case .repeated(let answer): return answer
        case .mismatch: throw ServiceError(.idempotencyKeyReused)
        }
    }

    /// Keeps what makes the answer of `call` again, if it carries a key.
    package func remember(_ call: RepeatableCall?, _ answer: [UInt8]) throws {
        guard let call else { return }
        try remember(key: call.key, fingerprint: call.fingerprint, answer: answer)
    }
}
