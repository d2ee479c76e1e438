import ServiceRuntime
import Storage

/// The columns of `accounts` that store a standing: `status` is the visible status, and `beneath`
/// holds the facts that it hides. For rows from before `beneath`, and for rows inserted with a
/// status only (imports), no fact is hidden.
enum AccountStatusTables {
    static let sql = "ALTER TABLE accounts ADD COLUMN beneath INTEGER NOT NULL DEFAULT 0;"
}

extension SQLSession {
    /// The standing of an account; nil if there is no such account.
    func standing(_ account: AccountID) throws -> AccountStanding? {
        try queryOne(
            "SELECT status, beneath FROM accounts WHERE account = ?", [.integer(account.key)]
        ) { row in
            let status = try row.integer(0)
            guard let status = AccountStatus(rawValue: status) else {
                throw SQLError(.unexpectedValue, detail: "accounts.status \(status)")
            }
            return AccountStanding(status: status, beneath: try row.integer(1))
        }
    }
}

extension Transaction {
    /// Applies an event to an account. This is the only way to change a status.
    /// - Returns: whether the standing changed; false if there is no such account.
    @discardableResult
    func apply(_ event: AccountEvent, _ account: AccountID) throws -> Bool {
        guard let before = try standing(account) else { return false }
        let after = AccountStatusRule.standing(before, after: event)
        guard after != before else { return false }
        try execute(
            "UPDATE accounts SET status = ?, beneath = ? WHERE account = ?",
            [
                .integer(after.status.rawValue), .integer(after.beneath), .integer(account.key),
            ])
        return true
    }
}

extension AccountStanding {
    private static let suspendedBit: Int64 = 1
    private static let pendingBit: Int64 = 2

    init(status: AccountStatus, beneath: Int64) {
        isDeleting = status == .deleting
        isSuspended = status == .suspended || beneath & Self.suspendedBit != 0
        awaitsVerification = status == .pendingVerification || beneath & Self.pendingBit != 0
    }

    /// The facts that the status hides, as bits.
    var beneath: Int64 {
        (isSuspended && status != .suspended ? Self.suspendedBit : 0)
            | (awaitsVerification && status != .pendingVerification ? Self.pendingBit : 0)
    }
}
