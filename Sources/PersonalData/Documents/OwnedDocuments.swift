import Cryptography
package import IdentityService
import Messages
import ServiceRuntime
import Storage

/// The documents of one account: opens and seals them under the account's key. Made for what was read
/// of the account at one time.
package struct OwnedDocuments: Sendable {
    let owner: DocumentOwner
    let vault: AccountVault
    private let hash: KeyedHash
    private let randomness: any Randomness

    /// - Throws: if the account's key does not decrypt.
    package init(of owner: DocumentOwner, writer: AccountWriter) throws {
        self.owner = owner
        randomness = writer.randomness
        hash = writer.keys.documents
        vault = try writer.reader.vault(of: owner.account, sealedKey: owner.sealedKey)
    }

    /// The document of a key, also a removed one.
    func document(
        _ key: DocumentKey, in session: some SQLSession
    ) throws -> StoredDocument? {
        try row(key, in: session).map(open)
    }

    /// The sealed row of a key, also of a removed document.
    func row(_ key: DocumentKey, in session: some SQLSession) throws -> DocumentRow? {
        try session.documentRow(nameKey(key), of: owner.account)
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
    package func open(_ page: DocumentPage) throws -> OpenedPage {
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
    /// The document as it was read; nil if there was none.
    var former: DocumentState?
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
    /// The keyed hash by which documents of a collection are found.
    func collectionKey(_ collection: String) -> [UInt8] {
        hash.collectionKey(collection, of: owner.account)
    }

    /// The keyed hash by which a document is found.
    func nameKey(_ key: DocumentKey) -> [UInt8] { hash.nameKey(key, of: owner.account) }

    /// The key of a row for a document that had none.
    func newRowKey() -> Int64 { randomness.rowKey() }
}

extension KeyedHash {
    /// A document's hash covers the account, so that a copy of the store does not show which
    /// accounts have documents of one name; and the collection, so that "main" has another in each.
    func nameKey(_ key: DocumentKey, of account: AccountID) -> [UInt8] {
        lookUpKey(
            DelimitedParts.joined(
                ["document", account.text, key.collection, key.name].map { Array($0.utf8) }))
    }

    /// The keyed hash by which documents of a collection are found.
    func collectionKey(_ collection: String, of account: AccountID) -> [UInt8] {
        lookUpKey(
            DelimitedParts.joined(
                ["collection", account.text, collection].map { Array($0.utf8) }))
    }
}
