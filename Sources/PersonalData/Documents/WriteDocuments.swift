import Contracts
import Cryptography
import IdentityService
import JSON
package import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
    /// Writes documents, all or none (I-07). A write that costs more than was charged does nothing
    /// (`AccountCall.requirePaid`).
    func writeDocuments(
        _ request: GatewayV1.WriteDocumentsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.WriteDocumentsResponse {
        .init(written: try await write(request.writes, call))
    }

    /// The same for a backend, which is not charged.
    func writeAccountDocuments(
        _ request: GatewayV1.WriteAccountDocumentsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.WriteDocumentsResponse {
        .init(written: try await write(request.writes, call))
    }

    /// `writeDocuments` with one document.
    func writeDocument(
        _ request: GatewayV1.WriteDocumentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.WriteDocumentResponse {
        guard let document = request.write else {
            throw ServiceError(.invalidArgument, fields: ["write"])
        }
        do {
            return .init(written: try await write([document], call).first)
        } catch let error as ServiceError {
            throw error.aboutOneWrite
        }
    }

    private func write(
        _ documents: [GatewayV1.DocumentWrite], _ call: AccountCall
    ) async throws -> [GatewayV1.WrittenDocument] {
        let rules = rules.value
        let lengths = documents.map { $0.json.utf8.count }
        let hasFields = documents.contains {
            rules.collection($0.collection)?.fields.isEmpty != true
        }
        let bytes = DocumentWrites.bytesOffLoop(lengths, hasFields: hasFields)
        let (writes, small) = try await offLoop(bytes: bytes) {
            let writes = try DocumentWrites(documents, voice: call.voice)
            return (writes, writes.smallChanges(rules, by: call.documentWriter))
        }
        let written =
            if let small {
                try await writeAtOnce(small, of: writes, rules, call)
            } else {
                try await writePrepared(writes, rules, call)
            }
        watchers.changed(call.account)
        return written
    }

    /// - Parameter changes: the documents, as `DocumentWrites.smallChanges` returns them.
    private func writeAtOnce(
        _ changes: [DocumentChange], of writes: DocumentWrites, _ rules: DocumentRules,
        _ call: AccountCall
    ) async throws -> [GatewayV1.WrittenDocument] {
        let bytes = changes.reduce(0) { $0 + $1.json.utf8.count }
        return try await changeAtOnce(call, bytes: bytes) {
            session, moment -> [GatewayV1.WrittenDocument]? in
            try session.storedResponse(of: call.repeatable, at: moment).map(writes.answer)
        } prepare: { [self] owner, transaction -> PreparedDocuments<Set<AccountNeed>> in
            let found = try found(writes, rules, by: call, owner, in: transaction)
            let owned = try opened(owner)
            let documents = try zip(found, changes).map { found, change -> SealedDocument in
                var change = change
                change.former = found.former
                return try owned.sealed(change)
            }
            // `found` has asked for the needs, in this transaction.
            return PreparedDocuments(documents: documents, detail: [])
        } write: { [self] prepared, owner, transaction in
            try write(prepared, of: owner, writes, by: call, transaction)
        }
    }

    private func writePrepared(
        _ writes: DocumentWrites, _ rules: DocumentRules, _ call: AccountCall
    ) async throws -> [GatewayV1.WrittenDocument] {
        try await change(call) {
            session, moment -> [GatewayV1.WrittenDocument]? in
            try session.storedResponse(of: call.repeatable, at: moment).map(writes.answer)
        } read: { [self] session, owner in
            try reading(writes, rules, by: call, owner, in: session)
        } prepare: { owned, found -> PreparedDocuments<Set<AccountNeed>> in
            PreparedDocuments(
                documents: try await found.inTurns { document in
                    try owned.sealed(document.change(of: owned, by: call, in: writes.voice))
                }, detail: Set(found.map(\.rules.need)))
        } write: { [self] prepared, owner, transaction in
            try write(prepared, of: owner, writes, by: call, transaction)
        }
    }

    private func reading(
        _ writes: DocumentWrites, _ rules: DocumentRules, by call: AccountCall,
        _ owner: DocumentOwner, in session: some SQLSession
    ) throws -> DocumentReading<[FoundDocument], [GatewayV1.WrittenDocument]> {
        let found = try found(writes, rules, by: call, owner, in: session)
        let lengths = found.map(\.bytes)
        try call.requirePaid(DocumentWork.units(of: lengths))
        let hasFields = found.contains { !$0.rules.fields.isEmpty }
        return .found(found, bytes: DocumentWrites.bytesOffLoop(lengths, hasFields: hasFields))
    }

    /// - Parameter prepared: with what the account still has to be asked for.
    private func write(
        _ prepared: PreparedDocuments<Set<AccountNeed>>, of owner: DocumentOwner,
        _ writes: DocumentWrites, by call: AccountCall, _ transaction: Transaction
    ) throws -> [GatewayV1.WrittenDocument] {
        if call.backend == nil {
            for need in prepared.detail { try require(need, of: owner, in: transaction) }
        }
        let written = try transaction.write(
            prepared.documents, of: owner,
            within: DocumentQuota(isGuest: owner.isGuest, settings))
        try transaction.audit(writes.count, writtenBy: call)
        try recordCompletion(
            of: owner.account, by: prepared.documents, from: call.origin, transaction)
        try transaction.remember(
            call.repeatable,
            .init(
                account: call.account.key, documentVersions: written.map(\.version),
                writtenAtMs: transaction.at.milliseconds))
        return written.map(GatewayV1.WrittenDocument.init)
    }

    /// A document to write, and what it replaces.
    private struct FoundDocument: Sendable {
        let write: DocumentWrite
        let rules: CollectionRules
        let former: DocumentState?
        /// The former document; nil if its content is not needed.
        let row: DocumentRow?

        /// What it counts of `DocumentWork` and of `DocumentWrites.bytesMax`.
        var bytes: Int { max(write.bytes, Int(row?.bytes ?? 0)) }

        func change(
            of owned: OwnedDocuments, by call: AccountCall, in voice: Voice
        ) throws -> DocumentChange {
            try write.change(
                of: former, row.map(owned.open)?.object(), rules, by: call.documentWriter,
                in: voice)
        }
    }

    private func found(
        _ writes: DocumentWrites, _ rules: DocumentRules, by call: AccountCall,
        _ owner: DocumentOwner, in session: some SQLSession
    ) throws -> [FoundDocument] {
        let found = try writes.all.map { write in
            guard let rules = rules.collection(write.key.collection) else {
                throw ServiceError.invalidArgument(
                    "\(write.fieldPrefix)collection",
                    "The operator's rules-file declares no such collection.")
            }
            if call.backend == nil { try require(rules.need, of: owner, in: session) }
            let nameKey = keys.documents.nameKey(write.key, of: owner.account)
            let needsFormer = write.needsFormer(rules)
            let row = needsFormer ? try session.documentRow(nameKey, of: owner.account) : nil
            let former =
                try needsFormer
                ? row?.state : session.documentState(nameKey, of: owner.account)
            try write.checkBase(against: former?.currentVersion ?? 0)
            try write.checkCollection(call.documentWriter)
            return FoundDocument(write: write, rules: rules, former: former, row: row)
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

extension AccountCall {
    /// Requires that what the call costs was charged before its work (`DocumentWork`).
    /// - Throws: `auth/too-many-requests` with the units.
    func requirePaid(_ units: Int) throws(ServiceError) {
        guard paidUnits > 0, units > paidUnits else { return }
        var error = ServiceError(.tooManyRequests)
        error.unitsNeeded = UInt32(clamping: units)
        throw error
    }
}

extension GatewayV1.WrittenDocument {
    /// The version of a written document, without its JSON.
    init(_ document: GatewayV1.Document) {
        self.init(
            collection: document.collection, name: document.name, version: document.version,
            changedAtMs: document.changedAtMs)
    }
}

extension GatewayV1.WriteAccountDocumentsRequest: ListedPartsRequest {
    package var signedParts: [[UInt8]] { writes.flatMap(\.signedParts) }
}

extension GatewayV1.DocumentWrite {
    /// The document as `bh` of `BackendCalls` covers it.
    var signedParts: [[UInt8]] {
        var base = ""
        if case .baseVersion(let version) = self.base { base = String(version) }
        return [collection, name, base, merge ? "merge" : "", json].map { Array($0.utf8) }
    }
}

extension ServiceError {
    /// The error with the fields of a request that has one document, `write.json.age`, where others
    /// are counted, `writes[0].json.age`.
    fileprivate var aboutOneWrite: ServiceError {
        let counted = "writes[0]"
        return renamingFields {
            $0.hasPrefix(counted) ? "write" + $0.dropFirst(counted.count) : $0
        }
    }
}
