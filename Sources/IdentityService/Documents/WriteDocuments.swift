import Contracts
import Cryptography
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDocumentsHandler {
    /// Writes documents, all or none (I-07).
    /// - Throws: `auth/document-conflict` with the current version; `auth/document-quota` with the
    ///   figures; `auth/invalid-document`; `auth/idempotency-key-reused`; `rpc/invalid-argument`
    ///   with the field, also for documents that are too long together; as `require`, `authorised`
    ///   and `change`.
    func writeDocuments(
        _ request: IdentityV1.WriteDocumentsRequest, _ context: CallContext
    ) async throws -> IdentityV1.WriteDocumentsResponse {
        let parts = request.writes.flatMap(\.signedParts)
        let call = try await authorised(
            request.caller, from: request.origin, .write, parts, context)
        let sent = request.writes.reduce(0) { $0 + $1.json.utf8.count }
        let writes = try await offLoop(bytes: sent) {
            try DocumentWrites(
                request.writes, voice: AcceptedLanguages(request.acceptLanguage).best ?? .english)
        }
        let repeatable = try RepeatableCall(
            "WriteDocuments", [Array(call.account.text.utf8)] + parts, call.repeatable(context),
            hash: keys.calls)
        let answer = try await change(call) {
            session, moment -> IdentityV1.WriteDocumentsResponse? in
            try session.remembered(of: repeatable, at: moment).map { first in
                IdentityV1.WriteDocumentsResponse(
                    written: try writes.answer(WrittenVersions(first)))
            }
        } read: {
            session, owner -> DocumentReading<[FoundDocument], IdentityV1.WriteDocumentsResponse> in
            let found = try found(writes, by: call, owner, in: session)
            let units = DocumentWork.units(of: found.map(\.bytes))
            guard request.paidUnits == 0 || units <= request.paidUnits else {
                return .answered(.init(unitsNeeded: UInt32(clamping: units)))
            }
            return .found(found, bytes: found.reduce(0) { $0 + $1.bytes })
        } prepare: { owned, found -> PreparedDocuments<Set<AccountNeed>> in
            PreparedDocuments(
                documents: try await found.inTurns { document in
                    try owned.sealed(document.change(of: owned, by: call, in: writes.voice))
                }, detail: Set(found.map(\.rules.need)))
        } write: { prepared, owner, transaction in
            if call.backend == nil {
                for need in prepared.detail { try require(need, of: owner, in: transaction) }
            }
            let written = try transaction.write(
                prepared.documents, of: owner,
                within: DocumentQuota(isGuest: owner.isGuest, settings))
            try transaction.audit(writes.count, writtenBy: call)
            try transaction.remember(
                repeatable,
                WrittenVersions(versions: written.map(\.version), at: transaction.at).bytes)
            return .init(written: written)
        }
        if !answer.written.isEmpty { watchers.changed(call.account) }
        return answer
    }

    /// A document to write, and what it replaces.
    private struct FoundDocument: Sendable {
        let write: DocumentWrite
        let rules: CollectionRules
        let row: DocumentRow?

        private var needsFormer: Bool { write.needsFormer(rules) }

        /// What it counts of `DocumentWork` and of `DocumentWrites.bytesMax`.
        var bytes: Int { max(write.bytes, needsFormer ? Int(row?.bytes ?? 0) : 0) }

        func change(
            of owned: OwnedDocuments, by call: DocumentCall, in voice: Voice
        ) throws -> DocumentChange {
            let present = needsFormer ? try row.map(owned.open)?.object() : nil
            return try write.change(
                of: row?.state, present, rules, by: call.writer, in: voice)
        }
    }

    private func found(
        _ writes: DocumentWrites, by call: DocumentCall, _ owner: DocumentOwner,
        in session: some SQLSession
    ) throws -> [FoundDocument] {
        let all = rules.value
        let found = try writes.all.map { write in
            guard let rules = all.collection(write.key.collection) else {
                throw ServiceError.invalidArgument(
                    "\(write.fieldPrefix)collection",
                    "The operator's rules-file declares no such collection.")
            }
            if call.backend == nil { try require(rules.need, of: owner, in: session) }
            let row = try session.documentRow(
                keys.documents.nameKey(write.key, of: owner.account), of: owner.account)
            try write.checkBase(against: row?.state.currentVersion ?? 0)
            try write.checkCollection(call.writer)
            return FoundDocument(write: write, rules: rules, row: row)
        }
        guard found.reduce(0, { $0 + $1.bytes }) <= DocumentWrites.bytesMax else {
            throw ServiceError.invalidArgument(
                "writes",
                "The documents that they change have more than 1 MiB. Send them in several calls.")
        }
        return found
    }

    /// Requires what a collection needs of the account that writes.
    /// - Throws: `auth/account-required` for a guest; `auth/email-not-verified`;
    ///   `auth/consent-required`; `auth/parental-consent-required`, which the owner alone cannot
    ///   mend.
    func require(
        _ need: AccountNeed, of owner: DocumentOwner, in session: some SQLSession
    ) throws {
        switch need {
        case .nothing: break
        case .account, .verified:
            guard !owner.isGuest else { throw ServiceError(.accountRequired) }
            guard need != .verified || owner.hasVerifiedAddress else {
                throw ServiceError(.emailNotVerified)
            }
        case .consent:
            guard try !consent.isLacking(session.consents(of: owner.account)) else {
                throw ServiceError(.consentRequired)
            }
            guard try !(session.parentalConsent(of: owner.account)?.state).isLacking else {
                throw ServiceError(.parentalConsentRequired)
            }
        }
    }
}

/// What a write answers, for its repeats: the versions, and their time.
struct WrittenVersions: Hashable, Sendable {
    let versions: [Int64]
    let at: Timestamp

    init(versions: [Int64], at moment: Timestamp) {
        self.versions = versions
        at = moment
    }

    /// The stored form: the time and the versions, 8 bytes each, big-endian.
    var bytes: [UInt8] {
        ([at.milliseconds] + versions).bigEndianBytes
    }

    /// Reads `bytes`.
    /// - Throws: `rpc/internal` for any other length: only this service writes it.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        guard let numbers = [Int64](bigEndianBytes: bytes), !numbers.isEmpty else {
            throw ServiceError(.internalError, detail: "an answer has \(bytes.count) bytes")
        }
        self.init(versions: Array(numbers.dropFirst()), at: Timestamp(milliseconds: numbers[0]))
    }
}
