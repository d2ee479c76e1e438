import IdentityService
import ServiceRuntime
import Storage

/// Deletes the ids that accounts had in another system, hourly, once they are older than the
/// setting `imported-ids-kept`: what an import leaves behind (I-08). An account that is imported
/// again later is then refused, since its address, number or identity belongs to an account.
struct ImportedIDPurge: Sendable {
    static let interval: Duration = .seconds(3_600)
    /// Rows of one transaction.
    private static let rowsMax = 256

    let store: Store
    let retention: Duration
    let time: any Time

    var duty: Duty { Duty("imported-ids", every: Self.interval, step: step) }

    /// Deletes some rows that are too old.
    /// - Returns: whether there may be more.
    func step() async throws -> Bool {
        let before = time.now() - retention
        let old = try await store.read {
            try $0.accounts(importedBefore: before, limit: Self.rowsMax)
        }
        guard !old.isEmpty else { return false }
        try await store.write(about: [.expired]) { transaction in
            for account in old {
                try transaction.forgetImportedID(of: account, importedBefore: before)
            }
        }
        return old.count == Self.rowsMax
    }
}

extension SQLSession {
    /// Without an index: it is read once an hour, and a scan of a million rows takes 0.1 s.
    fileprivate func accounts(importedBefore moment: Timestamp, limit: Int) throws -> [AccountID] {
        try query(
            "SELECT account FROM imported_accounts WHERE imported_at_ms < ? LIMIT ?",
            [SQLValue(moment), .integer(Int64(limit))]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    /// Does nothing about an account that was imported again since it was read.
    func forgetImportedID(
        of account: AccountID, importedBefore moment: Timestamp
    ) throws {
        try put(
            "DELETE FROM imported_accounts WHERE account = ? AND imported_at_ms < ?",
            [.integer(account.key), SQLValue(moment)])
    }
}
