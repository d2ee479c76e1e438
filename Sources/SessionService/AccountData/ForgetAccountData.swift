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
    ///     row                               this call
    ///     a session                         ends it, deletes it, and keeps a keyed hash of its
    ///                                       number, so that its tokens get the right answer (G-29)
    ///     the end of a session              leaves it: a start reads from it which access tokens
    ///                                       are revoked; purged after 2 hours
    ///     when the account was last seen    deletes it
    ///     what its tokens had besides       deletes it
    ///     the end of the account's sessions leaves it: it refuses sign-in proofs from before, and
    ///                                       is purged after a day
    func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        var rows = try await endSessions(of: account)
        while true {
            let deleted = try await store.write(about: [.account(account)]) { transaction in
                try transaction.deleteSessions(of: account, limit: Self.deletedAtOnce, keys)
            }
            rows += deleted
            if deleted < Self.deletedAtOnce { break }
        }
        if rows > 0 { log.recordDeletion() }
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: rows))
    }

    /// - Returns: how many rows were deleted.
    private func endSessions(of account: AccountID) async throws -> Int {
        let outcome: FlowOutcome<Int> = try await store.write(about: [.account(account)]) {
            transaction in
            try transaction.recordAccountEnd(
                account, AccountEnd(before: transaction.at, generation: 0), .accountDeleted)
            let open = try memory.openSessions(of: account, in: transaction)
            let (ended, _) = try transaction.end(
                open, .accountDeleted, life: life, from: .unknown)
            if !ended.isEmpty {
                try transaction.audit(
                    AuditEvent(
                        .accountSessionsEnded, account: account.key,
                        detail: .end(.accountDeleted)))
            }
            // After the ends, which record when the account was last seen.
            return .done(
                try transaction.deleteSeen(account) + transaction.forgetClaims(of: account),
                ended: ended)
        }
        return try memory.settle(outcome)
    }
}

extension Transaction {
    fileprivate func deleteSeen(_ account: AccountID) throws -> Int {
        try execute("DELETE FROM account_seen WHERE account = ?", [.integer(account.key)])
    }

    /// Deletes ended sessions of an account, `limit` at a time, and keeps their hashes.
    fileprivate func deleteSessions(
        of account: AccountID, limit: Int, _ keys: SessionKeys
    ) throws -> Int {
        let sessions: [SessionID] = try query(
            """
            SELECT id FROM session
            WHERE account = ? AND ended_at_ms IS NOT NULL ORDER BY id LIMIT ?
            """,
            [.integer(account.key), .integer(Int64(limit))]
        ) { try $0.identifier(0) }
        for session in sessions { try recordDeleted(session, keys) }
        guard let last = sessions.last else { return 0 }
        return try execute(
            "DELETE FROM session WHERE account = ? AND ended_at_ms IS NOT NULL AND id <= ?",
            [.integer(account.key), .integer(last.key)])
    }
}
