import Contracts
import ServiceRuntime
import Storage

extension Transaction {
    /// The latest ends of an account's sessions; nil when none is stored.
    func accountEnd(of account: AccountID) throws -> AccountEnd? {
        try queryOne(
            """
            SELECT before_ms, generation, before_by_clock_ms FROM account_end WHERE account = ?
            """,
            [.integer(account.key)]
        ) { row in
            AccountEnd(
                before: try row.timestamp(0), generation: try row.integer(1),
                beforeByClock: try row.timestamp(2))
        }
    }

    /// From now on refuses proofs of `account` from before `end`. Of several ends, the latest time
    /// and the highest generation are kept, in whichever order they arrive.
    func recordAccountEnd(
        _ account: AccountID, _ end: AccountEnd, _ reason: EndReason
    ) throws {
        try put(
            """
            INSERT INTO account_end (account, before_ms, reason, generation, before_by_clock_ms)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                before_ms = CASE WHEN excluded.before_ms > account_end.before_ms
                    THEN excluded.before_ms ELSE account_end.before_ms END,
                reason = CASE WHEN excluded.before_ms > account_end.before_ms
                    THEN excluded.reason ELSE account_end.reason END,
                generation = CASE WHEN excluded.generation > account_end.generation
                    THEN excluded.generation ELSE account_end.generation END,
                before_by_clock_ms = CASE
                    WHEN excluded.before_by_clock_ms > account_end.before_by_clock_ms
                    THEN excluded.before_by_clock_ms ELSE account_end.before_by_clock_ms END
            """,
            [
                .integer(account.key), SQLValue(end.before), .integer(reason.rawValue),
                .integer(end.generation), SQLValue(end.beforeByClock),
            ])
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
        try put(
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
