import Contracts
import Messages
import RPC
import ServiceRuntime

extension DocumentsHandler {
    /// I-07: `writeDocuments` with one document.
    /// - Throws: as `writeDocuments`; `rpc/invalid-argument` without a document.
    func writeDocument(
        _ request: GatewayV1.WriteDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.WriteDocumentResponse {
        let onward = try context.onward(for: "WriteDocument")
        guard let document = request.write else {
            throw ServiceError(.invalidArgument, fields: ["write"])
        }
        do {
            let written = try await write([document], context, onward)
            return GatewayV1.WriteDocumentResponse(written: written.first)
        } catch let error as ServiceError {
            throw error.aboutOneWrite
        }
    }
}

extension ServiceError {
    /// The error with the fields of a request that has one document, `write.json.age`, where
    /// identity counts documents, `writes[0].json.age`.
    fileprivate var aboutOneWrite: ServiceError {
        let counted = "writes[0]"
        return renamingFields { field in
            field.hasPrefix(counted) ? "write" + field.dropFirst(counted.count) : field
        }
    }
}
