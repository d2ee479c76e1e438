import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension OnboardingHandler {
    /// Completes onboarding (G-18): reads all drafts, checks them, writes the documents and the
    /// flag, in one transaction. Without declared sections it sets the flag only.
    ///
    /// The drafts stay: a field without a target is in its draft alone. A repeat after a completion
    /// changes nothing unless a draft has changed, so it does not undo what was written to the
    /// documents since.
    ///
    /// The error for what is missing or invalid names it as `section.field`.
    func completeOnboarding(
        _ request: GatewayV1.CompleteOnboardingRequest, _ call: AccountCall
    ) async throws -> GatewayV1.CompleteOnboardingResponse {
        let rules = documents.rules.value
        let done = try await documents.change(call) { session, _ -> CompletedOnboarding? in
            try isRepeat(of: call.account, rules, in: session)
                ? completed(call.account, [], in: session) : nil
        } read: { session, owner -> DocumentReading<FoundDrafts, CompletedOnboarding> in
            let found = try found(of: owner, rules, in: session)
            try call.requirePaid(DocumentWork.units(of: found.bytes))
            return .found(found, bytes: found.bytes.reduce(0, +))
        } prepare: { owned, found -> PreparedDocuments<Set<AccountNeed>> in
            try await prepared(found, of: owned, rules, call.voice)
        } write: { prepared, owner, transaction in
            for need in prepared.detail {
                try documents.require(need, of: owner, in: transaction)
            }
            let written = try complete(
                prepared.documents, of: owner, from: call.origin, transaction)
            try ProfileCompletion(answers: answers).record(
                owner.account, on: DeviceShown(nil, from: call.origin), from: call.origin,
                transaction)
            return try completed(call.account, written, in: transaction)
        }
        if !done.written.isEmpty { documents.watchers.changed(call.account) }
        return try answer(done)
    }

    private func completed(
        _ account: AccountID, _ written: [GatewayV1.Document], in session: some SQLSession
    ) throws -> CompletedOnboarding {
        guard let row = try session.account(account) else {
            throw ServiceError(.internalError, detail: "an account with documents is missing")
        }
        return CompletedOnboarding(
            row: row, facts: try answers.facts(row, in: session), written: written)
    }

    private func answer(
        _ done: CompletedOnboarding
    ) throws -> GatewayV1.CompleteOnboardingResponse {
        GatewayV1.CompleteOnboardingResponse(
            account: try answers.answer(
                done.row, done.facts, lastSignInAt: done.row.lastSignInAt
            ).account,
            written: done.written.map(GatewayV1.WrittenDocument.init))
    }

    /// Whether a completion was the last to set the flag, and no draft was changed since.
    private func isRepeat(
        of account: AccountID, _ rules: DocumentRules, in session: some SQLSession
    ) throws -> Bool {
        let positions = try (rules.onboarding?.sections ?? []).compactMap { section in
            try session.documentPosition(
                documents.keys.documents.nameKey(OnboardingDraft.key(section.name), of: account),
                of: account)
        }
        return try session.onboardingRecord(account)?.isRepeat(draftPositions: positions) ?? false
    }

    /// The sealed drafts and the documents that a completion may write to.
    private struct FoundDrafts: Sendable {
        let drafts: [DocumentRow?]
        /// By collection.
        let targets: [String: DocumentRow]
        /// What the account lacks, with the error for it.
        let refusals: [AccountNeed: ServiceError]

        /// The lengths of their JSON.
        var bytes: [Int] { (drafts.compactMap(\.self) + targets.values).map { Int($0.bytes) } }
    }

    private func found(
        of owner: DocumentOwner, _ rules: DocumentRules, in session: some SQLSession
    ) throws -> FoundDrafts {
        let (account, hash) = (owner.account, documents.keys.documents)
        var targets: [String: DocumentRow] = [:]
        for collection in rules.onboarding?.targetCollections ?? [] {
            targets[collection] = try session.documentRow(
                hash.nameKey(.main(collection), of: account), of: account)
        }
        var refusals: [AccountNeed: ServiceError] = [:]
        for need in AccountNeed.allCases {
            do {
                try documents.require(need, of: owner, in: session)
            } catch let refusal as ServiceError {
                refusals[need] = refusal
            }
        }
        return FoundDrafts(
            drafts: try rules.onboarding?.draftRows(of: account, hash, in: session) ?? [],
            targets: targets, refusals: refusals)
    }

    private func prepared(
        _ found: FoundDrafts, of owned: OwnedDocuments, _ rules: DocumentRules, _ voice: Voice
    ) async throws -> PreparedDocuments<Set<AccountNeed>> {
        let completion = OnboardingCompletion(
            rules: rules,
            sections: try await rules.onboarding?.withDrafts(found.drafts, of: owned) ?? [],
            voice: voice)
        let needs = completion.collections.map(\.need)
        for need in needs {
            if let refusal = found.refusals[need] { throw refusal }
        }
        let changes = try completion.changes { try found.targets[$0].map(owned.open) }
        return PreparedDocuments(documents: try changes.map(owned.sealed), detail: Set(needs))
    }

    private func complete(
        _ changes: [SealedDocument], of owner: DocumentOwner, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> [GatewayV1.Document] {
        let written = try transaction.write(
            changes, of: owner,
            within: DocumentQuota(isGuest: owner.isGuest, documents.settings))
        let position = try transaction.documentOwner(owner.account)?.totals.position ?? 0
        try transaction.setOnboarded(
            owner.account,
            at: OnboardingRecord.completionTime(at: transaction.at, position: position))
        try transaction.audit(.onboardingCompleted, owner.account, from: origin)
        return written
    }
}

/// An account after its completion, and what that has written.
private struct CompletedOnboarding: Sendable {
    let row: AccountRow
    let facts: AccountFacts
    let written: [GatewayV1.Document]
}
