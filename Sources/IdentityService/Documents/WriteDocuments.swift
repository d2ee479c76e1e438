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
    ///   with the field; as `require`, `authorised` and `owner`.
    func writeDocuments(
        _ request: IdentityV1.WriteDocumentsRequest, _ context: CallContext
    ) async throws -> IdentityV1.WriteDocumentsResponse {
        let parts = request.writes.flatMap(\.signedParts)
        let call = try await authorised(request.caller, .write, parts, context)
        let writes = try DocumentWrites(
            request.writes, voice: AcceptedLanguages(request.acceptLanguage).best ?? .english)
        let repeatable = try RepeatableCall(
            "WriteDocuments", [Array(call.account.text.utf8)] + parts, call.repeatable(context),
            hash: keys.calls)
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let written = try await store.write(
            about: [.account(call.account)], bulkBytes: writes.bytes
        ) { transaction in
            let owner = try owner(call, in: transaction)
            if let first = try transaction.remembered(of: repeatable) {
                return try writes.answer(WrittenVersions(first))
            }
            let written = try write(writes, by: call, to: opened(owner), transaction)
            try transaction.audit(call.written(writes.count).from(origin))
            try transaction.remember(
                repeatable,
                WrittenVersions(versions: written.map(\.version), at: transaction.at).bytes)
            return written
        }
        watchers.changed(call.account)
        return IdentityV1.WriteDocumentsResponse(written: written)
    }

    private func write(
        _ writes: DocumentWrites, by call: DocumentCall, to documents: OwnedDocuments,
        _ transaction: Transaction
    ) throws -> [IdentityV1.Document] {
        let rules = rules.value
        let changes = try writes.all.map { write in
            guard let rules = rules.collection(write.key.collection) else {
                throw ServiceError.invalidArgument(
                    "\(write.fieldPrefix)collection",
                    "The operator's rules-file declares no such collection.")
            }
            if call.backend == nil { try require(rules.need, of: documents.owner, in: transaction) }
            let former = try documents.document(write.key, in: transaction)
            try write.checkBase(against: former.currentVersion)
            return try write.change(of: former, rules, by: call.writer, in: writes.voice)
        }
        return try documents.write(
            changes,
            within: DocumentQuota(isGuest: documents.owner.isGuest, settings), in: transaction)
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

extension DocumentCall {
    /// The audit event of a write of `count` documents.
    func written(_ count: Int) -> AuditEvent {
        event(backend == nil ? .documentWritten : .documentWrittenByBackend, count)
    }

    /// The audit event of the removal of a document.
    func removed() -> AuditEvent {
        event(backend == nil ? .documentRemoved : .documentRemovedByBackend, 1)
    }

    private func event(_ kind: AuditKind, _ count: Int) -> AuditEvent {
        var event = AuditEvent(kind, account: account.key, attempt: Int64(count))
        event.actor = backend?.actor
        return event
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
