import Contracts
import Cryptography
package import ServiceRuntime
package import Storage

/// The removal of all second factors of an account, for a person who has lost them (F-03):
///
///     event                                       the removal
///     requested, none waits                       waits for `second-factor-reset-wait`, at least
///                                                 an hour by an application; 0: is done at once
///     requested, one waits                        goes on waiting, to the time that the owner was
///                                                 told
///     a proof by a second factor                  ends: nothing is lost
///     the link of its mail                        ends
///     the last factor is removed, a takeover      ends
///     the time has come                           is done; all sessions end
///     a restored copy                             ends: it may have been cancelled since
///
/// Attack: somebody calls the support desk as if they were the owner. So the owner is told at once by
/// every channel, and can stop it for as long as it waits.
///
/// Attack: somebody has the owner's password, and keeps a removal from being done by the first proof
/// alone. Only a second factor or the mailbox stops it.
package struct SecondFactorReset: AccountWriting, Sendable {
    let settings: IdentitySettings
    /// Writes accounts.
    package let writer: AccountWriter

    /// Removals by these settings.
    package init(settings: IdentitySettings, writer: AccountWriter) {
        self.settings = settings
        self.writer = writer
    }

    /// What a request came to.
    package struct Requested: Hashable, Sendable {
        /// When it is done; nil if it was done at once, and for an account without a second factor.
        package let dueAt: Timestamp?
        /// Whether this request has begun it.
        package let isNew: Bool
    }

    /// Requests a removal.
    /// - Parameters:
    ///   - reason: For the operator's later use.
    ///   - actor: For the audit trail.
    ///   - wait: Until it is done.
    /// - Throws: if the account's key does not decrypt, or sealing the notice fails.
    package func request(
        of row: AccountRow, reason: String, by actor: String, after wait: Duration,
        _ transaction: Transaction
    ) throws -> Requested {
        let account = row.account
        if let waiting = try transaction.secondFactorReset(of: account) {
            return Requested(dueAt: waiting.dueAt, isNew: false)
        }
        guard try transaction.hasSecondFactor(account) else {
            return Requested(dueAt: nil, isNew: false)
        }
        try transaction.audit(
            AuditEvent(.secondFactorResetRequested, account: account.key).by(actor))
        guard wait > .zero else {
            try finish(row, transaction)
            return Requested(dueAt: nil, isNew: true)
        }
        let dueAt = transaction.at + wait
        let sealed = try reader.vault(row).seal(reason, .secondFactorResetReason)
        try transaction.waitForSecondFactorReset(of: account, until: dueAt, sealedReason: sealed)
        try tell(row, until: dueAt, transaction)
        return Requested(dueAt: dueAt, isNew: true)
    }

    /// The notice to the owner; the mail to a proved address has the link that ends the removal.
    private func tell(
        _ row: AccountRow, until dueAt: Timestamp, _ transaction: Transaction
    ) throws {
        let token = LinkToken.drawn(from: randomness)
        let link = token.url(.keepSecondFactors, origin: settings.linkOrigin)
        let isSent = try notices.write(
            .secondFactorResetRequested, to: row, DeviceShown(nil),
            with: [.link(link), .time(dueAt)], byOperator: true, until: dueAt, transaction)
        guard isSent, let address = row.address, address.provedAt != nil else { return }
        try transaction.removeLinks(.keepSecondFactors, of: row.account)
        try transaction.insert(
            NewLink(
                key: randomness.rowKey(), tokenHash: token.hash(.keepSecondFactors, keys.links),
                purpose: .keepSecondFactors, account: row.account, addressKey: address.lookUpKey,
                expiresAt: dueAt))
    }

    /// Does a removal that is due.
    /// - Returns: whether it was still due.
    /// - Throws: as `request`.
    package func finishDue(of account: AccountID, _ transaction: Transaction) throws -> Bool {
        guard let waiting = try transaction.secondFactorReset(of: account),
            waiting.dueAt <= transaction.at, let row = try transaction.account(account)
        else { return false }
        try finish(row, transaction)
        return true
    }

    private func finish(_ row: AccountRow, _ transaction: Transaction) throws {
        let account = row.account
        try transaction.removeSecondFactors(of: account)
        try transaction.audit(.secondFactorReset, account, from: .unknown)
        try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        try notices.write(
            .secondFactorReset, to: row, DeviceShown(nil), byOperator: true, transaction)
    }

    /// Ends a removal that waits, since the owner still has a second factor or the mailbox.
    /// - Returns: whether one waited.
    /// - Throws: `SQLError`.
    @discardableResult
    func cancel(
        of account: AccountID, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> Bool {
        guard try transaction.endSecondFactorReset(of: account) else { return false }
        try transaction.audit(.secondFactorResetCancelled, account, from: origin)
        return true
    }
}

extension SQLSession {
    /// Accounts whose removal is due, the longest due first.
    /// - Throws: `SQLError`.
    package func dueSecondFactorResets(
        at moment: Timestamp, limit: Int64
    ) throws -> [AccountID] {
        try query(
            """
            SELECT account FROM accounts WHERE second_factor_reset_at_ms <= ?
            ORDER BY second_factor_reset_at_ms, account LIMIT ?
            """, [SQLValue(moment), .integer(limit)]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    /// In a restored copy: ends all removals that wait, and makes each code void that an
    /// authenticator app shows now. One of them may have been used after the backup.
    /// - Throws: `SQLError`.
    package func settleRestoredFactors() throws {
        try execute(
            """
            UPDATE accounts
            SET second_factor_reset_at_ms = NULL, second_factor_reset_reason = NULL
            WHERE second_factor_reset_at_ms IS NOT NULL
            """)
        // The code of the next step is accepted now too.
        let step = SQLValue.integer(TOTP.step(at: at) + 1)
        try put("UPDATE second_factors SET last_step = ?1 WHERE last_step < ?1", [step])
    }
}
