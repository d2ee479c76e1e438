import Contracts
import Logging
import ServiceRuntime
import Storage

/// Sends claims to session that no flow has sent: those that an earlier release has imported, and all
/// after a restored backup (I-10). In steps, each as short as a flow, with a rest as long as itself
/// between them: the ends of sessions are in the same queue.
///
/// An imported object may have names with a meaning of their own, such as `sub`, since they were not
/// compared at the import. Those members are left out, for good, and counted in the log.
struct UnsentClaims: AccountWriting, Sendable {
    /// Also the time until the claims are sent that a program of an earlier release imports beside
    /// this one.
    static let interval: Duration = .seconds(600)
    /// Accounts of one step.
    static let accountsAtOnce = 200

    let store: Store
    let writer: AccountWriter
    let time: any Time
    let logger: Logger

    var duty: Duty { Duty("unsent-claims", every: Self.interval, step: step) }

    /// Sends the claims of some accounts.
    /// - Returns: whether there may be more.
    /// - Throws: errors of the store.
    func step() async throws -> Bool {
        let began = time.uptime()
        let accounts = try await store.read { try $0.unsentClaims(limit: Self.accountsAtOnce) }
        guard !accounts.isEmpty else { return false }
        var (sent, leftOut) = (0, 0)
        for account in accounts {
            let members = try await store.write(about: [.account(account)]) {
                try send(account, $0)
            }
            if let members { (sent, leftOut) = (sent + 1, leftOut + members) }
        }
        if leftOut > 0 {
            logger.warning(
                "identity.claims.left_out",
                """
                claims of imported accounts have names that tokens use otherwise, and are left out: \
                CHANGES.md
                """,
                fields: [.count: .count(leftOut)])
        }
        // If none of a full page can be sent, the next step would find the same ones.
        guard sent > 0, accounts.count == Self.accountsAtOnce else { return false }
        // Half of the time is for calls, and for session, which receives the messages.
        try await time.sleep(for: time.uptime() - began)
        return true
    }

    /// - Returns: how many members were left out; nil if nothing was sent.
    private func send(_ account: AccountID, _ transaction: Transaction) throws -> Int? {
        // Another instance, or a flow that set claims, may have sent them meanwhile.
        guard try transaction.hasUnsentClaims(account), let row = try transaction.account(account),
            let stored = row.claims,
            let vault = reader.readable(account, logger, { try reader.vault(row) }),
            let opened = reader.readable(account, logger, { try sendable(stored, vault) })
        else { return nil }
        let version = max(stored.version, transaction.at.milliseconds)
        try transaction.store(
            StoredClaims(opened.claims, version: version, in: vault), of: account)
        try transaction.enqueue(outbox.claims(opened.claims, version: version, of: account))
        return opened.leftOut
    }

    private func sendable(
        _ stored: StoredClaims, _ vault: AccountVault
    ) throws -> (claims: AccountClaims, leftOut: Int) {
        guard stored.version == 0 else { return (try stored.opened(vault), 0) }
        // Nothing but an object passed an import.
        return AccountClaims.imported(json: try stored.openedText(vault)) ?? (AccountClaims(), 1)
    }
}

extension SQLSession {
    /// Some of the accounts whose claims are to be sent.
    fileprivate func unsentClaims(limit: Int) throws -> [AccountID] {
        try query(
            "SELECT account FROM custom_claims WHERE is_sent = 0 ORDER BY account LIMIT ?",
            [.integer(Int64(limit))]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    fileprivate func hasUnsentClaims(_ account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM custom_claims WHERE account = ? AND is_sent = 0",
            [.integer(account.key)]
        ) { _ in true } ?? false
    }
}
