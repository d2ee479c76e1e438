import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.BackendDocuments`: documents by account id, for the app's own backend
/// (I-07). Relays each call to the identity service, with the backend's application token. Which
/// applications may call it is in the gateway's list of callers; identity verifies the token, and
/// that it is for this request.
struct BackendDocumentsHandler: BackendDocumentsService {
    let documents: any AccountDocumentsAPI

    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/unauthenticated`, `rpc/invalid-argument`,
    ///   `rpc/not-found`.
    func readAccountDocument(
        _ request: GatewayV1.ReadAccountDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReadDocumentResponse {
        let inner = IdentityV1.ReadDocumentRequest(
            caller: try IdentityV1.DocumentCaller(request.call), collection: request.collection,
            name: request.name)
        let answer = try await relay {
            try await documents.readDocument(inner, context.onward())
        }
        return GatewayV1.ReadDocumentResponse(document: answer.document)
    }

    /// Relays the call.
    /// - Throws: `auth/document-conflict`, `auth/document-quota`, `auth/invalid-document`,
    ///   `auth/idempotency-key-reused`, `rpc/permission-denied`, `rpc/unauthenticated`,
    ///   `rpc/invalid-argument`, `rpc/not-found`.
    func writeAccountDocuments(
        _ request: GatewayV1.WriteAccountDocumentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.WriteDocumentsResponse {
        let onward = try context.onward(for: "WriteAccountDocuments")
        let inner = IdentityV1.WriteDocumentsRequest(
            caller: try IdentityV1.DocumentCaller(request.call), writes: request.writes,
            origin: try Origin.of(nil, context), acceptLanguage: context.metadata.voice.tag)
        let answer = try await relay { try await documents.writeDocuments(inner, onward) }
        return GatewayV1.WriteDocumentsResponse(
            written: answer.written.map(GatewayV1.WrittenDocument.init))
    }

    /// Relays the call.
    /// - Throws: `auth/document-conflict`, `auth/idempotency-key-reused`, `rpc/permission-denied`,
    ///   `rpc/unauthenticated`, `rpc/invalid-argument`, `rpc/not-found`.
    func removeAccountDocument(
        _ request: GatewayV1.RemoveAccountDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.RemoveDocumentResponse {
        let onward = try context.onward(for: "RemoveAccountDocument")
        let base: IdentityV1.RemoveDocumentRequest.Base? =
            switch request.base {
            case .baseVersion(let version): .baseVersion(version)
            case nil: nil
            }
        let inner = IdentityV1.RemoveDocumentRequest(
            caller: try IdentityV1.DocumentCaller(request.call), collection: request.collection,
            name: request.name, origin: try Origin.of(nil, context), base: base)
        let answer = try await relay { try await documents.removeDocument(inner, onward) }
        return GatewayV1.RemoveDocumentResponse(removed: answer.removed)
    }

    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/unauthenticated`, `rpc/invalid-argument`,
    ///   `rpc/not-found`.
    func listAccountDocuments(
        _ request: GatewayV1.ListAccountDocumentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListDocumentsResponse {
        let inner = IdentityV1.ListDocumentsRequest(
            caller: try IdentityV1.DocumentCaller(request.call), collection: request.collection,
            withJson: request.withJson, pageToken: request.pageToken)
        let list = try await relay {
            try await documents.listDocuments(inner, context.onward())
        }
        return GatewayV1.ListDocumentsResponse(list)
    }

    /// Relays the call.
    /// - Throws: `rpc/permission-denied`, `rpc/unauthenticated`, `rpc/invalid-argument`,
    ///   `rpc/not-found`.
    func setOnboarding(
        _ request: GatewayV1.SetOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.SetOnboardingResponse {
        let inner = IdentityV1.SetOnboardingRequest(
            backend: try request.call.required(), complete: request.complete,
            origin: try Origin.of(nil, context))
        _ = try await relay { try await documents.setOnboarding(inner, context.onward()) }
        return GatewayV1.SetOnboardingResponse()
    }

    /// Makes an inner call. Its error gets the fields that the backend has sent.
    private func relay<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
        do {
            return try await call()
        } catch let error as ServiceError {
            throw error.renamingFields { Self.publicFields[$0] ?? $0 }
        }
    }

    private static let publicFields = [
        "account_id": "call.account_id", "actor": "call.actor",
        Metadata.Key.applicationToken: "call.application_token",
    ]
}

extension IdentityV1.DocumentCaller {
    /// - Throws: as `required`.
    fileprivate init(_ call: GatewayV1.BackendCall?) throws(ServiceError) {
        self.init(by: .backend(try call.required()))
    }
}

extension GatewayV1.BackendCall? {
    /// - Throws: `rpc/invalid-argument` without an account and a proof.
    fileprivate func required() throws(ServiceError) -> GatewayV1.BackendCall {
        guard let self else { throw ServiceError(.invalidArgument, fields: ["call"]) }
        return self
    }
}
