import Cryptography
import Messages
import ServiceRuntime
import Storage

/// The documents of one account: opens and seals them under the account's key. Made in the
/// transaction or for the read that uses it.
struct OwnedDocuments: Sendable {
    let owner: DocumentOwner
    let vault: AccountVault
    private let hash: KeyedHash
    private let randomness: any Randomness

    /// - Throws: if the account's key does not decrypt.
    init(of owner: DocumentOwner, keys: IdentityKeys, randomness: any Randomness) throws {
        self.owner = owner
        self.randomness = randomness
        hash = keys.documents
        vault = try AccountVault(
            of: owner.account, sealedKey: owner.sealedKey, under: keys.accounts,
            randomness: randomness)
    }

    /// The document of a key, also a removed one.
    func document(
        _ key: DocumentKey, in session: some SQLSession
    ) throws -> StoredDocument? {
        try row(key, in: session).map(open)
    }

    /// The sealed row of a key, also of a removed document.
    func row(_ key: DocumentKey, in session: some SQLSession) throws -> DocumentRow? {
        try session.documentRow(hash.nameKey(key, of: owner.account), of: owner.account)
    }

    /// Opens a row.
    /// - Throws: if it was sealed for another account or another row.
    func open(_ row: DocumentRow) throws -> StoredDocument {
        let (key, json) = try vault.openDocument(row.payload, .document(row.rowKey))
        return StoredDocument(
            rowKey: row.rowKey, key: key, version: row.version, position: row.position,
            json: json, changedAt: row.changedAt, isRemoved: row.isRemoved)
    }

    /// Opens a page.
    /// - Throws: as `open(_:)` of a row.
    func open(_ page: DocumentPage) throws -> OpenedPage {
        OpenedPage(documents: try page.rows.map { try open($0) }, hasMore: page.hasMore)
    }
}

extension AccountVault {
    /// Seals a document's collection, name and JSON. Neither collections nor names have line breaks
    /// (`DocumentKey`).
    func seal(_ key: DocumentKey, json: String, _ field: Field) throws -> [UInt8] {
        try seal("\(key.collection)\n\(key.name)\n\(json)", field)
    }

    /// Opens the result of `seal(_:json:_:)`.
    /// - Throws: if it was sealed for another account or another row.
    func openDocument(
        _ payload: [UInt8], _ field: Field
    ) throws -> (key: DocumentKey, json: String) {
        let parts = try open(payload, field)
            .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw ServiceError(.internalError, detail: "a document's payload has no three parts")
        }
        return (
            DocumentKey(collection: String(parts[0]), name: String(parts[1])), String(parts[2])
        )
    }
}

/// A document to write, checked by the rules of its collection.
struct DocumentChange: Sendable {
    let key: DocumentKey
    /// The document as it was read in the same transaction; nil if there was none.
    let former: StoredDocument?
    /// The JSON text to store.
    let json: String
    /// The account's new display name, where a field of the document is that; empty if the change
    /// removes the name, nil to leave it.
    var displayName: String?
    /// When it was changed; nil for now. A document that is moved keeps the time of its change, so
    /// that a later migration compares changes, and not when each was moved (`MigrationRule.kept`).
    var changedAt: Timestamp?
}

extension OwnedDocuments {
    /// Removed documents whose rows are kept for each account, so that their versions go on and
    /// followers learn of the removal.
    private static let removalsMax: Int64 = 200

    /// Writes documents, each at most once. The rules and the versions are checked before.
    /// - Returns: the documents without their JSON, in the order of `changes`.
    /// - Throws: `auth/document-quota`; `auth/operation-not-allowed` for a guest's documents that
    ///   are moved into an account or kept for a while.
    func write(
        _ changes: [DocumentChange], within quota: DocumentQuota, in transaction: Transaction
    ) throws -> [IdentityV1.Document] {
        if owner.isGuest { try transaction.requireNoChoice(owner.account) }
        try quota.check(owner.totals, owner.totals.after(changes))
        var totals = owner.totals
        let written = try changes.map { change in
            let position = totals.takePosition(at: transaction.at)
            totals.count(change)
            return try write(change, at: position, in: transaction)
        }
        try transaction.setTotals(totals, of: owner.account)
        // Display name and photo are one truth, which mails use too (G-17).
        for name in changes.compactMap(\.displayName) {
            try transaction.setDisplayName(try vault.seal(name, .displayName), of: owner.account)
        }
        return written
    }

    private func write(
        _ change: DocumentChange, at position: Int64, in transaction: Transaction
    ) throws -> IdentityV1.Document {
        let version = (change.former?.version ?? 0) + 1
        let rowKey = change.former?.rowKey ?? randomness.rowKey()
        // A clock that was put back must not make a document newer than later ones.
        let changedAt = min(change.changedAt ?? transaction.at, transaction.at)
        let written = DocumentRow(
            rowKey: rowKey, version: version, position: position,
            payload: try vault.seal(change.key, json: change.json, .document(rowKey)),
            bytes: Int64(change.json.utf8.count), changedAt: changedAt, isRemoved: false)
        if change.former == nil {
            try transaction.insert(
                written, collectionKey: collectionKey(change.key.collection),
                nameKey: hash.nameKey(change.key, of: owner.account), of: owner.account)
        } else {
            try transaction.update(written)
        }
        return IdentityV1.Document(
            collection: change.key.collection, name: change.key.name, version: version,
            changedAtMs: changedAt.milliseconds)
    }

    /// Removes documents that exist.
    /// - Throws: `auth/operation-not-allowed` as `write`.
    func remove(_ documents: [StoredDocument], in transaction: Transaction) throws {
        if owner.isGuest { try transaction.requireNoChoice(owner.account) }
        try take(documents, in: transaction)
    }

    /// Removes documents that exist, also of a guest whose documents are moved into an account.
    func take(_ documents: [StoredDocument], in transaction: Transaction) throws {
        var totals = owner.totals
        for document in documents {
            totals.documents -= 1
            totals.bytes -= Int64(document.json.utf8.count)
            totals.removals += 1
            try transaction.update(
                DocumentRow(
                    rowKey: document.rowKey, version: document.version + 1,
                    position: totals.takePosition(at: transaction.at),
                    payload: try vault.seal(
                        document.key, json: "", .document(document.rowKey)), bytes: 0,
                    changedAt: transaction.at, isRemoved: true))
        }
        let excess = totals.removals - Self.removalsMax
        if excess > 0 {
            totals.oldestPosition = try transaction.forgetRemovals(excess, of: owner.account)
            totals.removals -= excess
        }
        try transaction.setTotals(totals, of: owner.account)
    }

    /// The keyed hash by which documents of a collection are found.
    func collectionKey(_ collection: String) -> [UInt8] {
        hash.collectionKey(collection, of: owner.account)
    }
}

extension DocumentTotals {
    /// Counts a document that is written.
    fileprivate mutating func count(_ change: DocumentChange) {
        bytes += Int64(change.json.utf8.count)
        guard let former = change.former else {
            documents += 1
            return
        }
        bytes -= Int64(former.json.utf8.count)
        guard former.isRemoved else { return }
        documents += 1
        removals -= 1
    }

    /// The totals after `changes`, for the quota.
    func after(_ changes: [DocumentChange]) -> DocumentTotals {
        var totals = self
        for change in changes { totals.count(change) }
        return totals
    }
}

extension KeyedHash {
    /// A document's hash covers the account, so that a copy of the store does not show which
    /// accounts have documents of one name; and the collection, so that "main" has another in each.
    func nameKey(_ key: DocumentKey, of account: AccountID) -> [UInt8] {
        lookUpKey(
            DelimitedParts.joined(
                ["document", account.text, key.collection, key.name].map { Array($0.utf8) }))
    }

    fileprivate func collectionKey(_ collection: String, of account: AccountID) -> [UInt8] {
        lookUpKey(
            DelimitedParts.joined(
                ["collection", account.text, collection].map { Array($0.utf8) }))
    }
}
