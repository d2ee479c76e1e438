import Messages

// Answers of identity as the public API has them.

extension GatewayV1.WrittenDocument {
    /// The version of a written document, without its JSON.
    init(_ document: GatewayV1.Document) {
        self.init(
            collection: document.collection, name: document.name, version: document.version,
            changedAtMs: document.changedAtMs)
    }
}

extension GatewayV1.ListDocumentsResponse {
    init(_ list: IdentityV1.ListDocumentsResponse) {
        self.init(
            documents: list.documents, nextPageToken: list.nextPageToken, position: list.position)
    }
}
