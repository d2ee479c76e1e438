import ServiceRuntime
import Storage

/// An account with everything that an export contains.
struct ExportedRow: Sendable {
    let row: AccountRow
    let sealedHash: [UInt8]?
    let sealedExternalID: [UInt8]?
    let sealedClaims: [UInt8]?
    let identities: [IdentityRow]
}

extension SQLSession {
    /// The accounts after `position`, in the order of their keys.
    func exportedAccounts(after position: Int64, limit: Int64) throws -> [AccountID] {
        try query(
            "SELECT account FROM accounts WHERE account > ? ORDER BY account LIMIT ?",
            [.integer(position), .integer(limit)]
        ) { try AccountID(stored: $0.integer(0)) }
    }

    /// The export of an account; the row is nil if the account is left out.
    func exported(
        _ account: AccountID, withHash: Bool
    ) throws -> (account: AccountID, row: ExportedRow?) {
        guard let row = try self.account(account), row.status != .deleting, !row.isGuest else {
            return (account, nil)
        }
        func blob(_ sql: String) throws -> [UInt8]? {
            try queryOne(sql, [.integer(account.key)]) { try $0.blob(0) }
        }
        let exported = ExportedRow(
            row: row,
            sealedHash: withHash
                ? try blob("SELECT hash FROM passwords WHERE account = ?") : nil,
            sealedExternalID: try blob(
                "SELECT external_id FROM imported_accounts WHERE account = ?"),
            sealedClaims: try blob("SELECT document FROM custom_claims WHERE account = ?"),
            identities: try identities(of: account))
        return (account, exported)
    }
}
