import IdentityService
import JSON
package import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
    /// Removes a document. Removing one that does not exist changes nothing (I-07).
    func removeDocument(
        _ request: GatewayV1.RemoveDocumentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.RemoveDocumentResponse {
        let base: Int64? = if case .baseVersion(let version) = request.base { version } else { nil }
        return try await remove(
            DocumentKey.required(collection: request.collection, name: request.name), base, call)
    }

    /// The same for a backend.
    func removeAccountDocument(
        _ request: GatewayV1.RemoveAccountDocumentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.RemoveDocumentResponse {
        try await remove(
            DocumentKey.required(collection: request.collection, name: request.name),
            request.version, call)
    }

    private func remove(
        _ key: DocumentKey, _ base: Int64?, _ call: AccountCall
    ) async throws -> GatewayV1.RemoveDocumentResponse {
        let isRemoved = try await change(call) { session, moment -> Bool? in
            try session.storedResponse(of: call.repeatable, at: moment)?.done
        } read: { [self] session, owner -> DocumentReading<DocumentRow?, Bool> in
            let row = try session.documentRow(
                keys.documents.nameKey(key, of: owner.account), of: owner.account)
            let former = row.flatMap { $0.isRemoved ? nil : $0 }
            if let base, let former, base != former.version {
                throw ServiceError.documentConflict(former.version, field: "base_version")
            }
            // Nothing to remove, and nothing to remember.
            if former == nil, call.repeatable == nil { return .answered(false) }
            return .found(former, bytes: Int(former?.bytes ?? 0))
        } prepare: { [self] owned, row -> PreparedDocuments<Void> in
            let documents = try row.map { row in
                let former = try owned.open(row)
                try checkRemoval(of: key, former, by: call.documentWriter)
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
                call.repeatable, .init(account: call.account.key, done: isRemoved))
            return isRemoved
        }
        if isRemoved { watchers.changed(call.account) }
        return GatewayV1.RemoveDocumentResponse(removed: isRemoved)
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

extension GatewayV1.RemoveAccountDocumentRequest: ListedPartsRequest {
    package var signedParts: [[UInt8]] {
        GatewayV1.DocumentWrite(
            collection: collection, name: name, base: version.map { .baseVersion($0) }
        ).signedParts
    }

    /// The version that the caller has seen.
    fileprivate var version: Int64? {
        if case .baseVersion(let version) = base { version } else { nil }
    }
}
