package import Cryptography
package import ServiceRuntime

/// The token with which a backend signs one request of `BackendDocuments` (I-07).
package enum DocumentToken {
    /// The first of the parts that a token covers.
    package static let label = "postern documents v1"

    /// Signs a token that is valid for a minute.
    /// - Parameters:
    ///   - method: the rpc's own name.
    ///   - parts: what `bh` covers: the label, the account, the actor, and the request.
    /// - Throws: `CryptographyError`.
    package static func sign(
        _ method: String, _ parts: [String], idempotencyKey: String?, audience: String,
        at moment: Timestamp, by application: String, key: Ed25519SigningKey, keyID: String = "k1"
    ) throws -> String {
        try BackendToken.sign(
            "postern.gateway.v1.BackendDocuments/\(method)", parts.map { Array($0.utf8) },
            idempotencyKey: idempotencyKey, audience: audience, at: moment, by: application,
            key: key, keyID: keyID)
    }
}

/// The token with which a backend signs one request about an account.
package enum BackendToken {
    /// Signs a token that is valid for a minute.
    /// - Parameters:
    ///   - method: the rpc's full name.
    ///   - parts: what `bh` covers: the label, the account, the actor, and the request.
    /// - Throws: `CryptographyError`.
    package static func sign(
        _ method: String, _ parts: [[UInt8]], idempotencyKey: String?, audience: String,
        at moment: Timestamp, by application: String, key: Ed25519SigningKey, keyID: String = "k1"
    ) throws -> String {
        try ApplicationToken.sign(
            .init(
                application: application, audience: audience, issuedAt: moment,
                expiresAt: moment + .seconds(60), method: method,
                bodyHash: ApplicationToken.bodyHash(of: DelimitedParts.joined(parts)),
                idempotencyKey: idempotencyKey),
            key: key, keyIdentifier: "\(application).\(keyID)")
    }
}
