import ServiceRuntime
import Storage

extension Transaction {
    /// The moment before which proofs of `account` are refused; nil when there is none.
    func accountEnd(of account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT before_ms FROM account_end WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }

    /// From now on refuses proofs of `account` made before `moment`. An earlier moment than the
    /// stored one changes nothing.
    func recordAccountEnd(
        _ account: AccountID, before moment: Timestamp, _ reason: EndReason
    ) throws {
        try execute(
            """
            INSERT INTO account_end (account, before_ms, reason) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE
            SET before_ms = excluded.before_ms, reason = excluded.reason
            WHERE excluded.before_ms > account_end.before_ms
            """,
            [.integer(account.key), SQLValue(moment), .integer(reason.rawValue)])
    }
}

extension SQLSession {
    /// When an ended session of the account was last used; nil when unknown.
    func accountSeen(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT seen_at_ms FROM account_seen WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }
}

extension Transaction {
    /// Records that an account was seen at `moment`. An earlier moment than the stored one changes
    /// nothing.
    func recordSeen(_ account: AccountID, at moment: Timestamp) throws {
        try execute(
            """
            INSERT INTO account_seen (account, seen_at_ms) VALUES (?, ?)
            ON CONFLICT (account) DO UPDATE SET seen_at_ms = excluded.seen_at_ms
            WHERE excluded.seen_at_ms > account_seen.seen_at_ms
            """,
            [.integer(account.key), SQLValue(moment)])
    }
}

extension Transaction {
    /// Consumes a proof.
    /// - Returns: whether this is its first use.
    func useProof(_ proof: SignInProof) throws -> Bool {
        let inserted = try execute(
            "INSERT INTO used_proof (nonce, stale_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [.blob(proof.nonce), SQLValue(SignInProofRule.staleAfter(proof))])
        return inserted == 1
    }
}
