import Messages

// Documents as identity has them and as the public API has them.

extension GatewayV1.Document {
    init(_ document: IdentityV1.Document) {
        self.init(
            collection: document.collection, name: document.name, version: document.version,
            json: document.json, changedAtMs: document.changedAtMs)
    }
}

extension GatewayV1.WrittenDocument {
    init(_ document: IdentityV1.Document) {
        self.init(
            collection: document.collection, name: document.name, version: document.version,
            changedAtMs: document.changedAtMs)
    }
}

extension GatewayV1.ListDocumentsResponse {
    init(_ list: IdentityV1.ListDocumentsResponse) {
        self.init(
            documents: list.documents.map(GatewayV1.Document.init),
            nextPageToken: list.nextPageToken, position: list.position)
    }
}

extension IdentityV1.DocumentWrite {
    init(_ write: GatewayV1.DocumentWrite) {
        let base: Base? =
            switch write.base {
            case .baseVersion(let version): .baseVersion(version)
            case nil: nil
            }
        self.init(
            collection: write.collection, name: write.name, json: write.json, merge: write.merge,
            base: base)
    }
}
