import ServiceRuntime
import Storage

extension Transaction {
    /// Consumes a proof, and deletes a few that have expired.
    /// - Returns: whether this is its first use.
    func useProof(_ proof: SignInProof) throws -> Bool {
        try purge("used_proof") { rowsMax in
            try execute(
                """
                DELETE FROM used_proof
                WHERE number IN (SELECT number FROM used_proof ORDER BY number LIMIT ?)
                  AND stale_at_ms < ?
                """,
                [.integer(rowsMax), SQLValue(at)])
        }
        let inserted = try execute(
            "INSERT INTO used_proof (nonce, stale_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [.blob(proof.nonce), SQLValue(SignInProofRule.staleAfter(proof))])
        return inserted == 1
    }
}
