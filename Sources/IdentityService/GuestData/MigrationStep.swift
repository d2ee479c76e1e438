import Logging
import ServiceRuntime
import Storage

/// One step of a migration, in its transaction (G-16): begins it, or moves the next documents and
/// counts them; after the last one it ends the migration, and with it the guest.
///
/// A guest's documents pass the rules of their collections as a backend's do, so that fields which
/// only a backend may write are moved too, unless the account has the document
/// (`CollectionRules.moved`). Those of a bundle pass them as the owner's. Attack: an account's
/// owner uploads a document that raises their own credit.
struct MigrationStep {
    /// Documents of one step.
    private static let documentsMax = 20
    /// What one step writes at most.
    static let bytesMax = documentsMax * DocumentText.bytesMax

    private let migration: StoredMigration
    private let documents: AccountDocumentsHandler
    private let guests: GuestSettlement
    private let logger: Logger
    private let transaction: Transaction

    init(
        _ migration: StoredMigration, _ documents: AccountDocumentsHandler,
        _ guests: GuestSettlement, _ logger: Logger, _ transaction: Transaction
    ) {
        self.migration = migration
        self.documents = documents
        self.guests = guests
        self.logger = logger
        self.transaction = transaction
    }

    /// Whether the job calls again at once.
    enum Progress: Hashable, Sendable {
        case goesOn, ended
    }

    /// A document to move.
    private struct Candidate {
        let key: DocumentKey
        let json: String
        let changedAt: Timestamp
        let place: Place

        /// Where it is now.
        enum Place {
            case guest(StoredDocument)
            case bundle(item: Int64)
        }
    }

    func run() throws -> Progress {
        guard let owner = try transaction.documentOwner(migration.account),
            owner.status != .deleting, owner.status != .suspended
        else { return .ended }
        let target = try documents.opened(owner)
        guard migration.choice != nil else {
            return try step(into: target, from: nil)
        }
        guard let guest = try migration.guest.flatMap(transaction.documentOwner), guest.isGuest,
            guest.status != .deleting
        else {
            try transaction.removeItems(of: migration.migration)
            try transaction.apply(.released, to: migration)
            return .ended
        }
        // The operator wants to see it as it is. Its documents wait, like those into a suspended
        // account.
        guard guest.status != .suspended else { return .ended }
        return try step(into: target, from: documents.opened(guest))
    }

    /// - Parameter guest: Nil for a bundle.
    private func step(
        into target: OwnedDocuments, from guest: OwnedDocuments?
    ) throws -> Progress {
        if migration.state == .waiting {
            try transaction.apply(
                .begun, to: migration,
                documents: guest.map { migration.done + $0.owner.totals.documents })
            return .goesOn
        }
        let next = try candidates(target, guest)
        let done = try move(next.readable, into: target, from: guest)
        if next.count == Self.documentsMax {
            try transaction.apply(nil, to: migration, done: done)
            return .goesOn
        }
        try end(guest, done: done)
        return .ended
    }

    /// The next documents. Those that cannot be read are counted, and recorded as issues.
    private func candidates(
        _ target: OwnedDocuments, _ guest: OwnedDocuments?
    ) throws -> (readable: [Candidate], count: Int) {
        guard let guest else {
            let rows = try transaction.migrationItems(
                of: migration.migration, isIssue: false, limit: Self.documentsMax)
            let readable = try rows.compactMap { row -> Candidate? in
                guard let item = opened(row.item, { try target.vault.open(row) }) else {
                    try transaction.setIssue(.internalError, item: row.item)
                    return nil
                }
                return Candidate(
                    key: item.key, json: item.json, changedAt: item.changedAt,
                    place: .bundle(item: item.item))
            }
            return (readable, rows.count)
        }
        let rows = try transaction.movableDocuments(
            of: guest.owner.account, limit: Self.documentsMax)
        let readable = try rows.compactMap { row -> Candidate? in
            guard let document = opened(row.rowKey, { try guest.open(row) }) else {
                try record(
                    .internalError, ofGuests: row.rowKey, DocumentKey(collection: "", name: ""),
                    changedAt: row.changedAt, target.vault)
                return nil
            }
            return Candidate(
                key: document.key, json: document.json, changedAt: document.changedAt,
                place: .guest(document))
        }
        return (readable, rows.count)
    }

    /// Opens a row. One that was damaged on the disk must not keep the others from being moved.
    private func opened<Value>(_ row: Int64, _ open: () throws -> Value) -> Value? {
        do {
            return try open()
        } catch {
            logger.error(
                "identity.guest_data.unreadable",
                "a document that is to be moved, or the one in its place, cannot be opened",
                fields: [
                    .account: .text(migration.account.text), .row: .integer(row),
                    .detail: .error(error),
                ])
            return nil
        }
    }

    /// The account's document of the same name.
    /// - Throws: `rpc/internal` if it cannot be opened.
    private func former(
        _ key: DocumentKey, _ target: OwnedDocuments
    ) throws -> StoredDocument? {
        guard let row = try target.row(key, in: transaction) else { return nil }
        guard let document = opened(row.rowKey, { try target.open(row) }) else {
            throw ServiceError(.internalError, detail: "a stored document cannot be opened")
        }
        return document
    }

    /// Moves documents, and records why others could not be.
    /// - Returns: how many are done.
    private func move(
        _ candidates: [Candidate], into target: OwnedDocuments, from guest: OwnedDocuments?
    ) throws -> Int {
        let quota = DocumentQuota(isGuest: target.owner.isGuest, documents.settings)
        let picks = try migration.picks(target.vault)
        var changes: [DocumentChange] = []
        var done: [Candidate] = []
        for candidate in candidates {
            do {
                let former = try former(candidate.key, target)
                let kept = MigrationRule.kept(
                    guest: candidate.changedAt,
                    account: former.flatMap { $0.isRemoved ? nil : $0.changedAt },
                    picked: picks[candidate.key])
                if kept == .guest {
                    let change = try change(candidate, former, target)
                    let totals = target.owner.totals
                    try quota.check(totals.after(changes), totals.after(changes + [change]))
                    changes.append(change)
                }
                done.append(candidate)
            } catch let refused as ServiceError {
                try record(refused.code, of: candidate, target.vault)
            }
        }
        if !changes.isEmpty {
            _ = try target.write(changes, within: quota, in: transaction)
        }
        try take(done, from: guest)
        return done.count
    }

    private func change(
        _ candidate: Candidate, _ former: StoredDocument?, _ target: OwnedDocuments
    ) throws -> DocumentChange {
        let key = candidate.key
        let isBundle = migration.choice == nil
        // Drafts of onboarding are written by this service only.
        guard !isBundle || key.collection != DocumentRules.onboardingName,
            let rules = documents.rules.value.collection(key.collection),
            let object = DocumentText.object(in: candidate.json)
        else { throw ServiceError(.invalidDocument, fields: ["collection"]) }
        try documents.require(rules.need, of: target.owner, in: transaction)
        let moved = isBundle ? nil : try former?.object().map { rules.moved(object, over: $0) }
        var change = try DocumentChange(
            moved ?? object, at: key, of: former, rules, by: isBundle ? .owner : .backend,
            field: "json", .english)
        // Without a time it is the time of the move, though any document of the account was newer.
        if candidate.changedAt.milliseconds > 0 { change.changedAt = candidate.changedAt }
        return change
    }

    private func record(
        _ issue: ErrorCode, of candidate: Candidate, _ vault: AccountVault
    ) throws {
        switch candidate.place {
        case .bundle(let item): try transaction.setIssue(issue, item: item)
        case .guest(let document):
            try record(
                issue, ofGuests: document.rowKey, candidate.key,
                changedAt: candidate.changedAt, vault)
        }
    }

    /// - Parameter document: The row of the guest's document.
    private func record(
        _ issue: ErrorCode, ofGuests document: Int64, _ key: DocumentKey, changedAt: Timestamp,
        _ vault: AccountVault
    ) throws {
        try transaction.insert(
            MigrationItem(
                item: documents.randomness.rowKey(), key: key, json: "", changedAt: changedAt),
            of: migration, document: document, issue: issue, vault)
    }

    /// Removes documents from where they were.
    private func take(_ done: [Candidate], from guest: OwnedDocuments?) throws {
        var moved: [StoredDocument] = []
        for candidate in done {
            switch candidate.place {
            case .bundle(let item): try transaction.removeItem(item)
            case .guest(let document): moved.append(document)
            }
        }
        if let guest, !moved.isEmpty { try guest.take(moved, in: transaction) }
    }

    /// Ends the migration: the guest is deleted, or its state and a mail tell what needs attention.
    private func end(_ guest: OwnedDocuments?, done: Int) throws {
        let account = migration.account
        let issues = try transaction.issueCount(of: migration.migration)
        let state = try transaction.apply(.tried(issues: issues), to: migration, done: done)
        guard state == .succeeded else {
            try transaction.audit(
                AuditEvent(
                    .guestDataNeedsAttention, account: account.key, attempt: Int64(issues)))
            try NoticeMail(keys: documents.keys, randomness: documents.randomness).write(
                .guestDataAttention, to: account, DeviceShown(name: "", platform: ""),
                counting: issues, transaction)
            return
        }
        try transaction.audit(
            AuditEvent(
                .guestDataMigrated, account: account.key,
                attempt: migration.done + Int64(done)))
        if let guest { try guests.delete(guest.owner.account, transaction) }
    }
}
