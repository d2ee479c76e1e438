package import Contracts
import Messages
package import ServiceRuntime
package import Storage

/// Sets the claims of accounts, for the app's backend and the operator (I-10). In one transaction:
///
///     what is written             why
///     the row, with its version   the proof of the next sign-in has both, so that the first session
///                                 after the change has them, whatever has been delivered by then
///     `account-claims`            the sessions that are open: from their next refresh on
///     the end of all sessions,    only if asked for: a role that was taken away must not count until
///     reason `revoked`            the tokens expire that have it
///
/// The end raises the session generation, so a refresh between the two messages brings no session of
/// before it back.
package struct AccountClaimsWriter: AccountWriting, Sendable {
    /// Writes accounts.
    package let writer: AccountWriter

    /// Sets claims by the keys and the outbox of `writer`.
    package init(writer: AccountWriter) {
        self.writer = writer
    }

    /// Replaces an account's claims, in a transaction about the account.
    /// - Parameters:
    ///   - base: The version that is replaced, 0 for none; nil for any.
    ///   - endSessions: Whether all the account's sessions end.
    /// - Returns: The new version, above all former ones.
    /// - Throws: `rpc/not-found` if there is no such account; `auth/document-conflict` with the
    ///   stored version if that is not `base`; `SQLError`.
    package func set(
        _ claims: AccountClaims, of account: AccountID, base: Int64?, endSessions: Bool,
        _ transaction: Transaction
    ) throws -> Int64 {
        guard let row = try transaction.account(account) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        let current = row.claims?.version ?? 0
        if let base, base != current {
            var conflict = ServiceError(.documentConflict, fields: ["base_version"])
            conflict.currentVersion = current
            throw conflict
        }
        let version = max(current + 1, transaction.at.milliseconds)
        let stored = try StoredClaims(claims, version: version, in: try reader.vault(row))
        try transaction.store(stored, of: account)
        try transaction.enqueue(outbox.claims(claims, version: version, of: account))
        if endSessions {
            try transaction.endSessions(
                of: account, provedUntil: transaction.at, reason: .revoked, outbox)
        }
        return version
    }
}
