import IdentityService
package import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
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
        let document = try await store.read { session in
            try opened(owner(call, in: session)).document(key, in: session)
        }
        guard let document, !document.isRemoved else {
            throw ServiceError(.notFound, fields: ["name"])
        }
        return GatewayV1.ReadDocumentResponse(document: document.message(withJSON: true))
    }
}

extension GatewayV1.ReadAccountDocumentRequest: BackendRequest {
    package var signedParts: [[UInt8]] {
        GatewayV1.DocumentWrite(collection: collection, name: name).signedParts
    }
}
