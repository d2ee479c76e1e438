import Contracts
import IdentityService
package import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Documents` and `BackendDocuments`: documents of accounts (I-07), for their
/// owners and for the app's backend.
///
/// A class: a call has several closures, and each would have a copy of what a struct holds.
final class DocumentsHandler:
    DocumentsService, BackendDocumentsService, AccountCallsHandler, AccountWriting
{
    let settings: DocumentSettings
    let newcomers: NewcomerBytes
    /// For collections that need consent.
    let consent: ConsentSettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let calls: AccountCalls
    /// The operator's rules, as they are now.
    let rules: Reloadable<DocumentRules>
    let watchers: AccountWatchers
    /// For the moment when an account is complete.
    let answers: AccountAnswers
    let turns = AccountTurns()

    init(
        settings: DocumentSettings, newcomers: NewcomerBytes, consent: ConsentSettings,
        store: Store, writer: AccountWriter, time: any Time, calls: AccountCalls,
        rules: Reloadable<DocumentRules>, watchers: AccountWatchers, answers: AccountAnswers
    ) {
        self.settings = settings
        self.newcomers = newcomers
        self.consent = consent
        self.store = store
        self.writer = writer
        self.time = time
        self.calls = calls
        self.rules = rules
        self.watchers = watchers
        self.answers = answers
    }
}

extension DocumentsHandler {
    /// The account as the owner of documents.
    /// - Throws: `auth/user-disabled`; without an account `auth/invalid-access-token`, or
    ///   `rpc/not-found` for a backend, which names it.
    func owner(_ call: AccountCall, in session: some SQLSession) throws -> DocumentOwner {
        guard let owner = try session.documentOwner(call.account) else {
            throw call.backend == nil
                ? ServiceError(.invalidAccessToken)
                : ServiceError(.notFound, fields: ["call.account_id"])
        }
        // A backend may prepare or tidy up an account that cannot sign in.
        if call.backend == nil { try owner.requireUsable() }
        return owner
    }

    /// The account's documents, opened.
    /// - Throws: if the account's key does not decrypt.
    func opened(_ owner: DocumentOwner) throws -> OwnedDocuments {
        try OwnedDocuments(of: owner, writer: writer)
    }

    /// Records that an account is complete, if that may come from what was written: a document that
    /// the rules require, or a display name in one.
    func recordCompletion(
        of account: AccountID, by written: [SealedDocument], from origin: CallOrigin,
        _ transaction: Transaction
    ) throws {
        let required = rules.value.required
        guard
            written.contains(where: { required.contains($0.key) || $0.sealedDisplayName != nil })
        else { return }
        try ProfileCompletion(answers: answers).record(
            account, on: DeviceShown(nil, from: origin), from: origin, transaction)
    }

    /// Returns one document (I-07).
    func readDocument(
        _ request: GatewayV1.ReadDocumentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.ReadDocumentResponse {
        let key = try DocumentKey.required(collection: request.collection, name: request.name)
        return try await read(key, call)
    }

    /// The same for a backend.
    func readAccountDocument(
        _ request: GatewayV1.ReadAccountDocumentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.ReadDocumentResponse {
        let key = try DocumentKey.required(collection: request.collection, name: request.name)
        return try await read(key, call)
    }

    private func read(
        _ key: DocumentKey, _ call: AccountCall
    ) async throws -> GatewayV1.ReadDocumentResponse {
        let document = try await store.read { [self] session in
            try opened(owner(call, in: session)).document(key, in: session)
        }
        guard let document, !document.isRemoved else {
            throw ServiceError(.notFound, fields: ["name"])
        }
        return GatewayV1.ReadDocumentResponse(
            document: try document.message(withJSON: true, rules.value))
    }
}

extension AccountCall {
    /// Who writes, for the rules.
    var documentWriter: DocumentWriter { backend == nil ? .owner : .backend }
}

extension GatewayV1.ReadAccountDocumentRequest: ListedPartsRequest {
    package var signedParts: [[UInt8]] {
        GatewayV1.DocumentWrite(collection: collection, name: name).signedParts
    }
}
