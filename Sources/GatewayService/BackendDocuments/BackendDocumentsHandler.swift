import Contracts
import Messages
import RPC

/// `postern.gateway.v1.BackendDocuments`: documents by account id, for the app's own backend
/// (I-07). Relays each call to the identity service, with the backend's application token. Which
/// applications may call it is in the gateway's list of callers; identity verifies the token, and
/// that it is for this request.
struct BackendDocumentsHandler: BackendDocumentsService {
    let documents: any AccountDocumentsAPI

    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    func readAccountDocument(
        _ request: GatewayV1.ReadAccountDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReadDocumentResponse {
        let answer = try await documents.readDocument(
            IdentityV1.ReadDocumentRequest(
                caller: Self.caller(request.call), collection: request.collection,
                name: request.name),
            context.onward())
        return GatewayV1.ReadDocumentResponse(
            document: answer.document.map(GatewayV1.Document.init))
    }

    /// Relays the call.
    /// - Throws: `auth/document-conflict`, `auth/document-quota`, `auth/invalid-document`,
    ///   `auth/idempotency-key-reused`, `rpc/permission-denied`, `rpc/invalid-argument`,
    ///   `rpc/not-found`.
    func writeAccountDocuments(
        _ request: GatewayV1.WriteAccountDocumentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.WriteDocumentsResponse {
        let onward = try context.onward(for: "WriteAccountDocuments")
        let answer = try await documents.writeDocuments(
            IdentityV1.WriteDocumentsRequest(
                caller: Self.caller(request.call),
                writes: request.writes.map(IdentityV1.DocumentWrite.init),
                origin: try Origin.of(nil, context), acceptLanguage: context.metadata.voice.tag),
            onward)
        return GatewayV1.WriteDocumentsResponse(
            written: answer.written.map(GatewayV1.WrittenDocument.init))
    }

    /// Relays the call.
    /// - Throws: `auth/document-conflict`, `auth/idempotency-key-reused`, `rpc/permission-denied`,
    ///   `rpc/invalid-argument`, `rpc/not-found`.
    func removeAccountDocument(
        _ request: GatewayV1.RemoveAccountDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.RemoveDocumentResponse {
        let onward = try context.onward(for: "RemoveAccountDocument")
        let base: IdentityV1.RemoveDocumentRequest.Base? =
            switch request.base {
            case .baseVersion(let version): .baseVersion(version)
            case nil: nil
            }
        let answer = try await documents.removeDocument(
            IdentityV1.RemoveDocumentRequest(
                caller: Self.caller(request.call), collection: request.collection,
                name: request.name, origin: try Origin.of(nil, context), base: base),
            onward)
        return GatewayV1.RemoveDocumentResponse(removed: answer.removed)
    }

    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    func listAccountDocuments(
        _ request: GatewayV1.ListAccountDocumentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListDocumentsResponse {
        let list = try await documents.listDocuments(
            IdentityV1.ListDocumentsRequest(
                caller: Self.caller(request.call), collection: request.collection,
                withJson: request.withJson, pageToken: request.pageToken),
            context.onward())
        return GatewayV1.ListDocumentsResponse(list)
    }

    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    func setOnboarding(
        _ request: GatewayV1.SetOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.SetOnboardingResponse {
        _ = try await documents.setOnboarding(
            IdentityV1.SetOnboardingRequest(
                backend: request.call.map(IdentityV1.BackendCaller.init),
                complete: request.complete, origin: try Origin.of(nil, context)),
            context.onward())
        return GatewayV1.SetOnboardingResponse()
    }

    private static func caller(_ call: GatewayV1.BackendCall?) -> IdentityV1.DocumentCaller {
        IdentityV1.DocumentCaller(by: call.map { .backend(IdentityV1.BackendCaller($0)) })
    }
}

extension IdentityV1.BackendCaller {
    fileprivate init(_ call: GatewayV1.BackendCall) {
        self.init(
            accountId: call.accountId, applicationToken: call.applicationToken, actor: call.actor)
    }
}
