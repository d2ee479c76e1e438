import IdentityService
import Messages
import ServiceRuntime
import Storage

/// A document as its row was read, without its content.
struct DocumentState: Hashable, Sendable {
    let rowKey: Int64
    let version: Int64
    /// The bytes of the JSON text; 0 if it was removed.
    let bytes: Int64
    let isRemoved: Bool
}

extension DocumentState {
    /// The version that a write must name: 0 after a removal, as for a document that never was.
    var currentVersion: Int64 { isRemoved ? 0 : version }
}

extension DocumentRow {
    /// The row without its content.
    var state: DocumentState {
        DocumentState(rowKey: rowKey, version: version, bytes: bytes, isRemoved: isRemoved)
    }
}

extension StoredDocument {
    /// The document without its content.
    var state: DocumentState {
        DocumentState(
            rowKey: rowKey, version: version, bytes: Int64(json.utf8.count), isRemoved: isRemoved)
    }
}

/// A document that is ready for its row: only its position and time are those of the write.
struct SealedDocument: Sendable {
    let key: DocumentKey
    /// What it replaces, as it was read; nil if there was nothing.
    let former: DocumentState?
    let rowKey: Int64
    let collectionKey: [UInt8]
    let nameKey: [UInt8]
    let payload: [UInt8]
    /// The bytes of the JSON text; 0 for a removal.
    let bytes: Int64
    let isRemoved: Bool
    /// As `DocumentChange.changedAt`.
    let changedAt: Timestamp?
    /// As `DocumentChange.displayName`.
    let sealedDisplayName: [UInt8]?
}

extension OwnedDocuments {
    /// Seals a change.
    /// - Throws: when sealing fails.
    func sealed(_ change: DocumentChange) throws -> SealedDocument {
        try sealed(
            change.key, json: change.json, over: change.former, isRemoved: false,
            changedAt: change.changedAt, displayName: change.displayName)
    }

    /// Seals the removal of a document: its row stays, so that its versions go on and followers
    /// learn of the removal.
    /// - Throws: when sealing fails.
    func removal(of document: StoredDocument) throws -> SealedDocument {
        try sealed(
            document.key, json: "", over: document.state, isRemoved: true, changedAt: nil,
            displayName: nil)
    }

    private func sealed(
        _ key: DocumentKey, json: String, over former: DocumentState?, isRemoved: Bool,
        changedAt: Timestamp?, displayName: String?
    ) throws -> SealedDocument {
        let rowKey = former?.rowKey ?? newRowKey()
        return SealedDocument(
            key: key, former: former, rowKey: rowKey,
            collectionKey: collectionKey(key.collection), nameKey: nameKey(key),
            payload: try vault.seal(key, json: json, .document(rowKey)),
            bytes: Int64(json.utf8.count), isRemoved: isRemoved, changedAt: changedAt,
            sealedDisplayName: try displayName.map { try vault.seal($0, .displayName) })
    }
}

extension DocumentTotals {
    /// Counts a document that is written or removed.
    mutating func count(_ document: SealedDocument) {
        count(document.bytes, over: document.former, isRemoved: document.isRemoved)
    }

    private mutating func count(
        _ bytes: Int64, over former: DocumentState?, isRemoved: Bool = false
    ) {
        self.bytes += bytes - (former?.bytes ?? 0)
        let wasThere = former?.isRemoved == false
        if wasThere != !isRemoved { documents += isRemoved ? -1 : 1 }
        guard let former, former.isRemoved != isRemoved else { return }
        removals += isRemoved ? 1 : -1
    }

    /// The totals after `changes`, for the quota.
    func after(_ changes: [DocumentChange]) -> DocumentTotals {
        var totals = self
        for change in changes { totals.count(Int64(change.json.utf8.count), over: change.former) }
        return totals
    }
}

extension Transaction {
    /// Removed documents whose rows are kept for each account, so that their versions go on and
    /// followers learn of the removal.
    private static let removalsMax: Int64 = 200

    /// Writes documents, each at most once. The rules and the versions are checked before.
    /// - Parameter owner: as it was read in this transaction.
    /// - Returns: the documents without their JSON, in their order.
    /// - Throws: `auth/document-quota`; `auth/operation-not-allowed` for a guest's documents that
    ///   are moved into an account or kept for a while.
    func write(
        _ documents: [SealedDocument], of owner: DocumentOwner, within quota: DocumentQuota
    ) throws -> [GatewayV1.Document] {
        if owner.isGuest { try requireNoChoice(owner.account) }
        var totals = owner.totals
        for document in documents { totals.count(document) }
        try quota.check(owner.totals, totals)
        return try store(documents, of: owner)
    }

    /// Removes documents that exist.
    /// - Throws: `auth/operation-not-allowed` as `write`.
    func remove(_ documents: [SealedDocument], of owner: DocumentOwner) throws {
        if owner.isGuest { try requireNoChoice(owner.account) }
        try take(documents, of: owner)
    }

    /// Removes documents that exist, also of a guest whose documents are moved into an account.
    /// - Throws: `SQLError`.
    func take(_ documents: [SealedDocument], of owner: DocumentOwner) throws {
        _ = try store(documents, of: owner)
    }

    private func store(
        _ documents: [SealedDocument], of owner: DocumentOwner
    ) throws -> [GatewayV1.Document] {
        var totals = owner.totals
        let stored = try documents.map { document in
            let position = totals.takePosition(at: at)
            totals.count(document)
            return try store(document, at: position, of: owner.account)
        }
        let excess = totals.removals - Self.removalsMax
        if excess > 0 {
            totals.oldestPosition = try forgetRemovals(excess, of: owner.account)
            totals.removals -= excess
        }
        try setTotals(totals, of: owner.account)
        // Display name and photo are one truth, which mails use too (G-17).
        for name in documents.compactMap(\.sealedDisplayName) {
            try setDisplayName(name, of: owner.account)
        }
        return stored
    }

    private func store(
        _ document: SealedDocument, at position: Int64, of account: AccountID
    ) throws -> GatewayV1.Document {
        // A clock that was put back must not make a document newer than later ones.
        let changedAt = min(document.changedAt ?? at, at)
        let row = DocumentRow(
            rowKey: document.rowKey, version: (document.former?.version ?? 0) + 1,
            position: position, payload: document.payload, bytes: document.bytes,
            changedAt: changedAt, isRemoved: document.isRemoved)
        if document.former == nil {
            try insert(
                row, collectionKey: document.collectionKey, nameKey: document.nameKey, of: account)
        } else {
            try update(row)
        }
        return GatewayV1.Document(
            collection: document.key.collection, name: document.key.name, version: row.version,
            changedAtMs: changedAt.milliseconds)
    }
}
