import IdentityService
package import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
    /// Returns a page of documents, in the order in which they were last changed (I-07). One that
    /// is changed between two pages is on a later page, with its new version.
    func listDocuments(
        _ request: GatewayV1.ListDocumentsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.ListDocumentsResponse {
        guard request.collection.isEmpty || DocumentKey.isCollection(request.collection) else {
            throw ServiceError(.invalidArgument, fields: ["collection"])
        }
        guard let after = Self.position(ofPage: request.pageToken) else {
            throw ServiceError(.invalidArgument, fields: ["page_token"])
        }
        let (documents, page) = try await store.read { [self] session in
            let documents = try opened(owner(call, in: session))
            let selection = DocumentSelection(
                collectionKey: documents.collectionKey(filter: request.collection), after: after)
            return (documents, try session.documentPage(selection, of: call.account))
        }
        let rules = rules.value
        return GatewayV1.ListDocumentsResponse(
            documents: try page.rows.map {
                try documents.open($0).message(withJSON: request.withJson, rules)
            },
            nextPageToken: page.hasMore ? page.rows.last.map { String($0.position) } ?? "" : "",
            position: documents.owner.totals.position)
    }

    /// The same for a backend.
    func listAccountDocuments(
        _ request: GatewayV1.ListAccountDocumentsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.ListDocumentsResponse {
        try await listDocuments(
            .init(
                collection: request.collection, withJson: request.withJson,
                pageToken: request.pageToken), call)
    }

    /// The position of a page token: 0 for the first page; nil for an invalid token.
    private static func position(ofPage token: String) -> Int64? {
        guard !token.isEmpty else { return 0 }
        return Int64(token).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension OwnedDocuments {
    /// The keyed hash of a collection that a caller selects; nil for all.
    func collectionKey(filter collection: String) -> [UInt8]? {
        collection.isEmpty ? nil : collectionKey(collection)
    }
}

extension GatewayV1.ListAccountDocumentsRequest: ListedPartsRequest {
    package var signedParts: [[UInt8]] {
        GatewayV1.DocumentWrite(
            collection: collection, name: pageToken, json: withJson ? "json" : ""
        ).signedParts
    }
}
