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
        _ method: StaticString, _ parts: [[UInt8]], _ context: any IdempotentCall, hash: KeyedHash
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
    /// The stored response of `call`; nil if the call is new or has no key.
    /// - Throws: `auth/idempotency-key-reused` when the key was used for another request;
    ///   `SQLError`.
    package func remembered(of call: RepeatableCall?) throws -> [UInt8]? {
        guard let call else { return nil }
        switch try remembered(key: call.key, fingerprint: call.fingerprint) {
        case .fresh: return nil
        case .repeated(let answer): return answer
        case .mismatch: throw ServiceError(.idempotencyKeyReused)
        }
    }

    /// Stores the response of `call`, if it has a key.
    /// - Throws: `SQLError`.
    package func remember(_ call: RepeatableCall?, _ answer: [UInt8]) throws {
        guard let call else { return }
        try remember(key: call.key, fingerprint: call.fingerprint, answer: answer)
    }
}
