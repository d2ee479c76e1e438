import IdentityService
import ServiceRuntime

/// What needs no store.
extension MigrationStep {
    /// Decides about each document, and seals what is written.
    func prepare(_ found: Found) throws -> Prepared {
        let target = try documents.opened(found.sides.target)
        let guest = try found.sides.guest.map(documents.opened)
        let quota = DocumentQuota(isGuest: target.owner.isGuest, documents.settings)
        let picks = try found.migration.picks(target.vault)
        var prepared = Prepared(found: found)
        var changes: [DocumentChange] = []
        for unreadable in found.unreadable {
            prepared.issues.append(try issue(unreadable, target.vault))
        }
        for candidate in found.candidates {
            do {
                let former = try candidate.former.map { row in
                    try requireOpened(row, target, of: found.migration)
                }
                let kept = MigrationRule.kept(
                    guest: candidate.changedAt,
                    account: former.flatMap { $0.isRemoved ? nil : $0.changedAt },
                    picked: picks[candidate.key])
                if kept == .guest {
                    let change = try change(candidate, former, found)
                    let totals = target.owner.totals
                    try quota.check(totals.after(changes), totals.after(changes + [change]))
                    prepared.moved.append(try target.sealed(change))
                    changes.append(change)
                }
                prepared.done += 1
                switch candidate.place {
                case .bundle(let item): prepared.items.append(item)
                case .guest(let document):
                    if let guest { prepared.taken.append(try guest.removal(of: document)) }
                }
            } catch let refused as ServiceError {
                prepared.issues.append(try issue(refused.code, of: candidate, target.vault))
            }
        }
        return prepared
    }

    /// - Throws: `rpc/internal` if it cannot be opened.
    private func requireOpened(
        _ row: DocumentRow, _ target: OwnedDocuments, of migration: StoredMigration
    ) throws -> StoredDocument {
        guard let document = opened(row.rowKey, of: migration, { try target.open(row) }) else {
            throw ServiceError(.internalError, detail: "a stored document cannot be opened")
        }
        return document
    }

    private func change(
        _ candidate: Candidate, _ former: StoredDocument?, _ found: Found
    ) throws -> DocumentChange {
        let key = candidate.key
        let isBundle = found.migration.choice == nil
        // Drafts of onboarding are written by this service only.
        guard !isBundle || key.collection != DocumentRules.onboardingName,
            let rules = documents.rules.value.collection(key.collection)
        else { throw ServiceError(.invalidDocument, fields: ["collection"]) }
        // Before the work: a bundle can be tried again and again.
        if let refusal = found.refusals[rules.need] { throw ServiceError(refusal) }
        guard let object = DocumentText.object(in: candidate.json) else {
            throw ServiceError(.invalidDocument, fields: ["collection"])
        }
        let present = try former?.object()
        let moved = isBundle ? nil : present.map { rules.moved(object, over: $0) }
        var change = try DocumentChange(
            moved ?? object, at: key, of: former?.state, present, rules,
            by: isBundle ? .owner : .backend, field: "json", .english)
        // Without a time it is the time of the move, though any document of the account was newer.
        if candidate.changedAt.milliseconds > 0 { change.changedAt = candidate.changedAt }
        return change
    }

    private func issue(
        _ code: ErrorCode, of candidate: Candidate, _ vault: AccountVault
    ) throws -> Issue {
        switch candidate.place {
        case .bundle(let item): return Issue(code: code, place: .bundle(item: item))
        case .guest(let document):
            return try issue(
                code, document.rowKey, candidate.key, changedAt: candidate.changedAt, vault)
        }
    }

    private func issue(_ unreadable: UnreadableDocument, _ vault: AccountVault) throws -> Issue {
        switch unreadable {
        case .bundle(let item): return Issue(code: .internalError, place: .bundle(item: item))
        case .guest(let row):
            return try issue(
                .internalError, row.rowKey, DocumentKey(collection: "", name: ""),
                changedAt: row.changedAt, vault)
        }
    }

    private func issue(
        _ code: ErrorCode, _ document: Int64, _ key: DocumentKey, changedAt: Timestamp,
        _ vault: AccountVault
    ) throws -> Issue {
        let item = MigrationItem(
            item: documents.randomness.rowKey(), key: key, json: "", changedAt: changedAt)
        return Issue(code: code, place: .guest(document: document, try vault.sealed(item)))
    }
}
