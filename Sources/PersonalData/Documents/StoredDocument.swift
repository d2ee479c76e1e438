import JSON
import Messages
package import ServiceRuntime

/// A document as its owner reads it.
package struct StoredDocument: Hashable, Sendable {
    let rowKey: Int64
    /// What it is named.
    package let key: DocumentKey
    let version: Int64
    /// The place of its last change among those of the account.
    package let position: Int64
    /// The JSON text; empty if it was removed.
    package let json: String
    /// When it was changed last.
    package let changedAt: Timestamp
    let isRemoved: Bool

    /// The document as a message.
    /// - Parameter withJSON: whether it has the text.
    func message(withJSON: Bool) -> GatewayV1.Document {
        GatewayV1.Document(
            collection: key.collection, name: key.name, version: version,
            json: withJSON ? json : "", changedAtMs: changedAt.milliseconds)
    }

    /// The JSON object; nil for a removed document.
    /// - Throws: `rpc/internal` if the stored text is no object.
    func object() throws(ServiceError) -> JSONObject? {
        guard !isRemoved else { return nil }
        guard let object = DocumentText.object(in: json) else {
            throw ServiceError(.internalError, detail: "a stored document is no JSON object")
        }
        return object
    }
}

/// A page of documents, opened, in the order of their positions.
package struct OpenedPage: Sendable {
    /// The documents.
    package let documents: [StoredDocument]
    /// Whether there are more after the last one.
    package let hasMore: Bool

    /// A page whose documents are opened.
    package init(documents: [StoredDocument], hasMore: Bool) {
        self.documents = documents
        self.hasMore = hasMore
    }
}
