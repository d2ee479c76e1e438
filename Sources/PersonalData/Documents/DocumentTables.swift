package import IdentityService
package import ServiceRuntime
package import Storage

/// Documents, and their sum for each account. A document is found by keyed hashes of its collection
/// and its name, which differ for each account; `payload` has both and the JSON text, sealed.
///
/// A removed document is a row without JSON, so that its versions go on and followers learn of the
/// removal. `position` orders the changes of one account: the latest has the highest one. It is at
/// least the time of the change in milliseconds, so positions of a restored store are higher than
/// those which the lost one gave.
extension IdentityTables {
    /// The tables `documents` and `document_totals`.
    package static let documents = """
        CREATE TABLE documents (
            document INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            collection_key BLOB NOT NULL,
            name_key BLOB NOT NULL,
            version INTEGER NOT NULL,
            position INTEGER NOT NULL,
            payload BLOB NOT NULL,
            bytes INTEGER NOT NULL,
            changed_at_ms INTEGER NOT NULL,
            is_removed INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX documents_by_name ON documents (account, name_key);
        CREATE UNIQUE INDEX documents_by_position ON documents (account, position);
        CREATE TABLE document_totals (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            documents INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            removals INTEGER NOT NULL,
            position INTEGER NOT NULL,
            oldest_position INTEGER NOT NULL
        ) STRICT;
        """
}

/// The sum of an account's documents.
package struct DocumentTotals: Hashable, Sendable {
    /// Number of documents.
    package var documents: Int64 = 0
    /// Their JSON texts in bytes.
    var bytes: Int64 = 0
    /// Rows of removed documents.
    var removals: Int64 = 0
    /// The position of the latest change; 0 before the first.
    var position: Int64 = 0
    /// The oldest position that can be resumed: later removals are all known.
    var oldestPosition: Int64 = 0

    /// Whether a follower that has all changes up to `position` can be told the later ones. One
    /// that has nothing yet always can.
    func canResume(after position: Int64) -> Bool {
        position == 0 || (oldestPosition...max(oldestPosition, self.position)).contains(position)
    }

    /// Takes the position of the next change.
    mutating func takePosition(at moment: Timestamp) -> Int64 {
        let next = max(position + 1, moment.milliseconds)
        // The positions before the first change were the lost store's, if this one was restored.
        if position == 0 { oldestPosition = next - 1 }
        position = next
        return next
    }
}

/// An account as the owner of documents.
package struct DocumentOwner: Sendable {
    let account: AccountID
    let status: AccountStatus
    let isGuest: Bool
    let createdAt: Timestamp
    /// It has an address, which is verified.
    let hasVerifiedAddress: Bool
    let sealedKey: [UInt8]
    /// What it has.
    package let totals: DocumentTotals

    /// - Throws: `auth/user-disabled`.
    func requireUsable() throws(ServiceError) {
        guard status.isUsable else { throw ServiceError(.accountDisabled) }
    }

    /// The account as a newcomer; nil if it is none.
    func newcomer(at moment: Timestamp) -> Newcomer? {
        Newcomer(account: account.key, isGuest: isGuest, createdAt: createdAt, at: moment)
    }
}

extension SQLSession {
    /// The account as the owner of documents, in one statement; nil if there is none.
    /// - Throws: `SQLError`.
    package func documentOwner(_ account: AccountID) throws -> DocumentOwner? {
        try queryOne(
            """
            SELECT accounts.status, accounts.is_guest, accounts.created_at_ms,
                email_addresses.proved_at_ms,
                account_keys.sealed_key,
                coalesce(document_totals.documents, 0) AS documents,
                coalesce(document_totals.bytes, 0) AS bytes,
                coalesce(document_totals.removals, 0) AS removals,
                coalesce(document_totals.position, 0) AS position,
                coalesce(document_totals.oldest_position, 0) AS oldest_position
            FROM accounts
            JOIN account_keys ON account_keys.account = accounts.account
            LEFT JOIN email_addresses ON email_addresses.account = accounts.account
            LEFT JOIN document_totals ON document_totals.account = accounts.account
            WHERE accounts.account = ?
            """, [.integer(account.key)]
        ) { row in
            DocumentOwner(
                account: account, status: try AccountStatus(stored: row.integer("status")),
                isGuest: try row.boolean("is_guest"),
                createdAt: try row.timestamp("created_at_ms"),
                hasVerifiedAddress: try row.optionalInteger("proved_at_ms") != nil,
                sealedKey: try row.blob("sealed_key"),
                totals: DocumentTotals(
                    documents: try row.integer("documents"), bytes: try row.integer("bytes"),
                    removals: try row.integer("removals"), position: try row.integer("position"),
                    oldestPosition: try row.integer("oldest_position")))
        }
    }
}
