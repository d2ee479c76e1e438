import Contracts
import IdentityService
import Logging
import ServiceRuntime
import Storage

/// One step of a migration (G-16): begins it, or moves the next documents and counts them; after
/// the last one it ends the migration, and with it the guest. Its three parts are those of
/// `DocumentsHandler.change`: `find` in a snapshot, `prepare` without a store, `run` in the
/// transaction.
///
/// A guest's documents pass the rules of their collections as a backend's do, so that fields which
/// only a backend may write are moved too, unless the account has the document
/// (`CollectionRules.moved`). Those of a bundle pass them as the owner's. Attack: an account's
/// owner uploads a document that raises their own credit.
struct MigrationStep: Sendable {
    /// Documents of one step.
    private static let documentsMax = 20

    let documents: DocumentsHandler
    let guests: GuestSettlement
    let logger: Logger

    /// Whether the job calls again.
    enum Progress: Hashable, Sendable {
        case goesOn, ended
        /// A document was changed since the snapshot.
        case outdated
    }

    /// Those whose documents are moved.
    struct Sides: Sendable {
        let target: DocumentOwner
        /// Nil for a bundle.
        let guest: DocumentOwner?
    }

    /// The next documents, as they were read.
    struct Found: Sendable {
        let migration: StoredMigration
        let sides: Sides
        let candidates: [Candidate]
        let unreadable: [UnreadableDocument]
        let refusals: [AccountNeed: ErrorCode]

        var count: Int { candidates.count + unreadable.count }
    }

    /// A document to move.
    struct Candidate: Sendable {
        let key: DocumentKey
        let json: String
        let changedAt: Timestamp
        let place: Place
        /// The account's document of the same name.
        let former: DocumentRow?

        /// Where it is now.
        enum Place: Sendable {
            case guest(StoredDocument)
            case bundle(item: Int64)
        }
    }

    /// A document that cannot be opened.
    enum UnreadableDocument: Sendable {
        case guest(DocumentRow)
        case bundle(item: Int64)
    }

    /// What a step does with its documents.
    struct Prepared: Sendable {
        let found: Found
        /// Those that the account gets.
        var moved: [SealedDocument] = []
        /// Those that the guest has no more.
        var taken: [SealedDocument] = []
        /// The same of a bundle, by their rows.
        var items: [Int64] = []
        var issues: [Issue] = []
        var done = 0

        /// The bytes of JSON that the step writes.
        var bytes: Int { moved.reduce(0) { $0 + Int($1.bytes) } }
    }

    /// Why a document is not moved.
    struct Issue: Sendable {
        let code: ErrorCode
        let place: Place

        enum Place: Sendable {
            case bundle(item: Int64)
            /// - Parameter document: the row of the guest's document.
            case guest(document: Int64, SealedMigrationItem)
        }
    }
}

// MARK: In a snapshot

extension MigrationStep {
    /// The next documents.
    /// - Returns: nil if the step moves none: the migration has not begun, or cannot go on.
    func find(_ id: MigrationID, in session: some SQLSession) throws -> Found? {
        guard let migration = try session.migration(id), migration.state == .running,
            case .found(let sides) = try self.sides(of: migration, in: session)
        else { return nil }
        let target = try documents.opened(sides.target)
        var candidates: [Candidate] = []
        var unreadable: [UnreadableDocument] = []
        func add(
            _ key: DocumentKey, _ json: String, _ changedAt: Timestamp, _ place: Candidate.Place
        ) throws {
            let former = try target.row(key, in: session)
            candidates.append(
                Candidate(
                    key: key, json: json, changedAt: changedAt, place: place, former: former))
        }
        if let guest = try sides.guest.map(documents.opened) {
            let rows = try session.movableDocuments(
                of: guest.owner.account, limit: Self.documentsMax)
            for row in rows {
                if let document = opened(row.rowKey, of: migration, { try guest.open(row) }) {
                    try add(
                        document.key, document.json, document.changedAt, .guest(document))
                } else {
                    unreadable.append(.guest(row))
                }
            }
        } else {
            let rows = try session.migrationItems(of: id, isIssue: false, limit: Self.documentsMax)
            for row in rows {
                if let item = opened(row.item, of: migration, { try target.vault.open(row) }) {
                    try add(item.key, item.json, item.changedAt, .bundle(item: item.item))
                } else {
                    unreadable.append(.bundle(item: row.item))
                }
            }
        }
        return Found(
            migration: migration, sides: sides, candidates: candidates, unreadable: unreadable,
            refusals: try refusals(of: sides.target, in: session))
    }

    enum Way {
        case found(Sides)
        /// It cannot go on now.
        case waits
        /// There is no guest any more.
        case released
    }

    private func sides(
        of migration: StoredMigration, in session: some SQLSession
    ) throws -> Way {
        guard let target = try session.documentOwner(migration.account),
            target.status != .deleting, target.status != .suspended
        else { return .waits }
        guard migration.choice != nil else { return .found(Sides(target: target, guest: nil)) }
        guard let guest = try migration.guest.flatMap(session.documentOwner), guest.isGuest,
            guest.status != .deleting
        else { return .released }
        // The operator wants to see it as it is. Its documents wait, like those into a suspended
        // account.
        guard guest.status != .suspended else { return .waits }
        return .found(Sides(target: target, guest: guest))
    }

    /// What the account lacks of what collections need.
    private func refusals(
        of owner: DocumentOwner, in session: some SQLSession
    ) throws -> [AccountNeed: ErrorCode] {
        var refusals: [AccountNeed: ErrorCode] = [:]
        for need in AccountNeed.allCases {
            do {
                try documents.require(need, of: owner, in: session)
            } catch let refusal as ServiceError {
                refusals[need] = refusal.code
            }
        }
        return refusals
    }

    /// Opens a row. One that was damaged on the disk must not keep the others from being moved.
    func opened<Value>(
        _ row: Int64, of migration: StoredMigration, _ open: () throws -> Value
    ) -> Value? {
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
}

// MARK: In the transaction

extension MigrationStep {
    /// Performs the step.
    /// - Parameter prepared: nil if `find` found none.
    func run(
        _ migration: StoredMigration, _ prepared: Prepared?, _ transaction: Transaction
    ) throws -> Progress {
        switch try sides(of: migration, in: transaction) {
        case .waits: return .ended
        case .released:
            try transaction.removeItems(of: migration.migration)
            try transaction.apply(.released, to: migration)
            return .ended
        case .found(let sides):
            guard migration.state != .waiting else {
                try transaction.apply(
                    .begun, to: migration,
                    documents: sides.guest.map { migration.done + $0.totals.documents })
                return .goesOn
            }
            guard let prepared, try isCurrent(prepared.found, migration, sides, transaction) else {
                return .outdated
            }
            return try move(prepared, sides, transaction)
        }
    }

    private func isCurrent(
        _ found: Found, _ migration: StoredMigration, _ sides: Sides, _ transaction: Transaction
    ) throws -> Bool {
        let isGuestUnchanged =
            switch (sides.guest, found.sides.guest) {
            case (nil, nil): true
            case (let guest?, let former?): guest.isUnchanged(since: former)
            default: false
            }
        return try migration == found.migration && isGuestUnchanged
            && sides.target.isUnchanged(since: found.sides.target)
            && sides.target.isGuest == found.sides.target.isGuest
            && refusals(of: sides.target, in: transaction) == found.refusals
    }

    private func move(
        _ prepared: Prepared, _ sides: Sides, _ transaction: Transaction
    ) throws -> Progress {
        let (migration, done) = (prepared.found.migration, prepared.done)
        for issue in prepared.issues {
            switch issue.place {
            case .bundle(let item): try transaction.setIssue(issue.code, item: item)
            case .guest(let document, let item):
                try transaction.insert(item, of: migration, document: document, issue: issue.code)
            }
        }
        if !prepared.moved.isEmpty {
            _ = try transaction.write(
                prepared.moved, of: sides.target,
                within: DocumentQuota(isGuest: sides.target.isGuest, documents.settings))
            try documents.recordCompletion(
                of: migration.account, by: prepared.moved, from: .unknown, transaction)
        }
        for item in prepared.items { try transaction.removeItem(item) }
        if let guest = sides.guest, !prepared.taken.isEmpty {
            try transaction.take(prepared.taken, of: guest)
        }
        if prepared.found.count == Self.documentsMax {
            try transaction.apply(nil, to: migration, done: done)
            return .goesOn
        }
        try end(migration, sides.guest, done: done, transaction)
        return .ended
    }

    /// Ends the migration: the guest is deleted, or its state and a mail tell what needs attention.
    private func end(
        _ migration: StoredMigration, _ guest: DocumentOwner?, done: Int,
        _ transaction: Transaction
    ) throws {
        let account = migration.account
        let issues = try transaction.issueCount(of: migration.migration)
        let state = try transaction.apply(.tried(issues: issues), to: migration, done: done)
        guard state == .succeeded else {
            try transaction.audit(
                AuditEvent(
                    .guestDataNeedsAttention, account: account.key, attempt: Int64(issues)))
            try documents.notices.write(
                .guestDataAttention, to: account, DeviceShown(name: "", platform: ""),
                with: [.count(issues)], transaction)
            return
        }
        try transaction.audit(
            AuditEvent(
                .guestDataMigrated, account: account.key,
                attempt: migration.done + Int64(done)))
        if let guest { try guests.delete(guest.account, transaction) }
    }
}
