import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDocumentsHandler {
    /// Removes a document. Removing one that does not exist changes nothing (I-07).
    /// - Throws: `auth/document-conflict` with the current version; `auth/invalid-document` if the
    ///   owner may not write a field of it; `auth/idempotency-key-reused`; `rpc/invalid-argument`
    ///   with the field; as `authorised` and `change`.
    func removeDocument(
        _ request: IdentityV1.RemoveDocumentRequest, _ context: CallContext
    ) async throws -> IdentityV1.RemoveDocumentResponse {
        let key = try DocumentKey.required(collection: request.collection, name: request.name)
        let parts = request.signedParts
        let call = try await authorised(
            request.caller, from: request.origin, .remove, parts, context)
        let repeatable = try RepeatableCall(
            "RemoveDocument", [Array(call.account.text.utf8)] + parts, call.repeatable(context),
            hash: keys.calls)
        let isRemoved = try await change(call) { session, moment -> Bool? in
            try session.storedResponse(of: repeatable, at: moment)?.done
        } read: { session, owner -> DocumentReading<DocumentRow?, Bool> in
            let row = try session.documentRow(
                keys.documents.nameKey(key, of: owner.account), of: owner.account)
            let former = row.flatMap { $0.isRemoved ? nil : $0 }
            if let base = request.base?.version, let former, base != former.version {
                throw ServiceError.documentConflict(former.version, field: "base_version")
            }
            // Nothing to remove, and nothing to remember.
            if former == nil, repeatable == nil { return .answered(false) }
            return .found(former, bytes: Int(former?.bytes ?? 0))
        } prepare: { owned, row -> PreparedDocuments<Void> in
            let documents = try row.map { row in
                let former = try owned.open(row)
                try checkRemoval(of: key, former, by: call.writer)
                return [try owned.removal(of: former)]
            }
            return PreparedDocuments(documents: documents ?? [], detail: ())
        } write: { prepared, owner, transaction in
            let isRemoved = !prepared.documents.isEmpty
            if isRemoved {
                try transaction.remove(prepared.documents, of: owner)
                try transaction.auditRemoval(by: call)
            }
            try transaction.remember(
                repeatable, .init(account: call.account.key, done: isRemoved))
            return isRemoved
        }
        if isRemoved { watchers.changed(call.account) }
        return IdentityV1.RemoveDocumentResponse(removed: isRemoved)
    }

    /// Attack: the owner removes a document to get rid of a field that only the server may write,
    /// and writes the document again without it.
    /// - Throws: `auth/invalid-document`.
    private func checkRemoval(
        of key: DocumentKey, _ former: StoredDocument, by writer: DocumentWriter
    ) throws(ServiceError) {
        guard writer == .owner else { return }
        guard key.collection != DocumentRules.onboardingName else {
            throw .invalidDocument(.serverOnly, field: "collection")
        }
        // A collection that the rules have no more can only be removed.
        guard let rules = rules.value.collection(key.collection), rules.hasFixedFields,
            let json = try former.object()
        else { return }
        let kept = [DocumentViolation.readOnly, .serverOnly].map(\.rawValue)
        let violations = rules.violations(
            of: JSONObject(), replacing: json, by: writer, voice: .english
        ).filter { kept.contains($0.rule) }
        guard violations.isEmpty else { throw .invalidDocument(violations) }
    }
}

extension IdentityV1.RemoveDocumentRequest {
    /// The document as `bh` covers it.
    fileprivate var signedParts: [[UInt8]] {
        GatewayV1.DocumentWrite(
            collection: collection, name: name,
            base: base.map { .baseVersion($0.version) }
        ).signedParts
    }
}

extension IdentityV1.RemoveDocumentRequest.Base {
    /// The version that the caller has seen.
    fileprivate var version: Int64 {
        switch self {
        case .baseVersion(let version): version
        }
    }
}
