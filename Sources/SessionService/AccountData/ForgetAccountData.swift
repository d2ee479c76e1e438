import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Sessions deleted in one transaction.
    private static let deletedAtOnce = 500

    /// Ends an account's sessions, so that no access token works any more, and deletes what is
    /// stored of them and of the account.
    ///
    ///     row                                       this call
    ///     a session that ended longer ago than      deletes it
    ///     an access token lives
    ///     any other session                         ends it, and removes device, platform and
    ///                                               proofs; a later call, or the purge, deletes it
    ///     when the account was last seen            deletes it
    ///     the end of the account's sessions         leaves it: it refuses sign-in proofs from
    ///                                               before, and is purged after a day
    /// - Throws: `rpc/permission-denied` unless identity calls; `rpc/invalid-argument`; errors of
    ///   the store. The call can be repeated.
    func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        var rows = try await endSessions(of: account)
        while true {
            let deleted = try await store.write(about: [.account(account)]) { transaction in
                try transaction.deleteSessions(
                    of: account, endedUntil: transaction.at - revocationRetention,
                    limit: Self.deletedAtOnce)
            }
            rows += deleted
            if deleted < Self.deletedAtOnce { break }
        }
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: rows))
    }

    /// - Returns: how many rows were changed or deleted.
    private func endSessions(of account: AccountID) async throws -> Int {
        let outcome: FlowOutcome<Int> = try await store.write(about: [.account(account)]) {
            transaction in
            try transaction.recordAccountEnd(
                account, AccountEnd(before: transaction.at, generation: 0), .security)
            let open = try memory.openSessions(of: account, in: transaction)
            let (ended, _) = try transaction.end(open, .security, life: life)
            if !ended.isEmpty {
                try transaction.audit(AuditEvent(.accountSessionsEnded, account: account.key))
            }
            // After the ends, which record when the account was last seen.
            return .done(
                try transaction.stripSessions(of: account)
                    + transaction.deleteSeen(account), ended: ended)
        }
        return try memory.settle(outcome)
    }
}

extension Transaction {
    /// Removes what describes a person from an account's ended sessions.
    /// - Returns: from how many.
    fileprivate func stripSessions(of account: AccountID) throws -> Int {
        try execute(
            """
            UPDATE session
            SET platform = NULL, device = NULL, device_name = NULL, device_key = NULL, proofs = NULL
            WHERE account = ? AND ended_at_ms IS NOT NULL
              AND (platform IS NOT NULL OR device IS NOT NULL OR device_name IS NOT NULL
                OR device_key IS NOT NULL OR proofs IS NOT NULL)
            """,
            [.integer(account.key)])
    }

    fileprivate func deleteSeen(_ account: AccountID) throws -> Int {
        try execute("DELETE FROM account_seen WHERE account = ?", [.integer(account.key)])
    }

    /// Deletes sessions of an account that ended until `moment`, `limit` at a time.
    fileprivate func deleteSessions(
        of account: AccountID, endedUntil moment: Timestamp, limit: Int
    ) throws -> Int {
        try execute(
            """
            DELETE FROM session WHERE id IN (
                SELECT id FROM session
                WHERE account = ? AND ended_at_ms IS NOT NULL AND ended_at_ms <= ? LIMIT ?)
            """,
            [.integer(account.key), SQLValue(moment), .integer(Int64(limit))])
    }
}
