import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDocumentsHandler {
    /// Returns one document (I-07).
    /// - Throws: `rpc/not-found` if there is none; `rpc/invalid-argument` with the field; as
    ///   `authorised` and `owner`.
    func readDocument(
        _ request: IdentityV1.ReadDocumentRequest, _ context: CallContext
    ) async throws -> IdentityV1.ReadDocumentResponse {
        let key = try DocumentKey.required(collection: request.collection, name: request.name)
        let call = try await authorised(
            request.caller, .read,
            GatewayV1.DocumentWrite(collection: key.collection, name: key.name).signedParts,
            context)
        let document = try await store.read { session in
            try opened(owner(call, in: session)).document(key, in: session)
        }
        guard let document, !document.isRemoved else {
            throw ServiceError(.notFound, fields: ["name"])
        }
        return IdentityV1.ReadDocumentResponse(document: document.message(withJSON: true))
    }
}
