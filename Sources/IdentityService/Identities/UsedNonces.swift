import ServiceRuntime
import Storage

extension Transaction {
    /// Uses a nonce (G-05).
    /// - Returns: false if it was used before. Attack: an intercepted token is replayed.
    func use(_ nonce: UsedNonce) throws -> Bool {
        try purge("used_nonces", key: "nonce", expiry: "expires_at_ms", until: at)
        let written = try execute(
            """
            INSERT INTO used_nonces (nonce_key, expires_at_ms) VALUES (?, ?)
            ON CONFLICT (nonce_key) DO NOTHING
            """,
            [.blob(nonce.key), SQLValue(nonce.expiresAt)])
        return written == 1
    }
}
