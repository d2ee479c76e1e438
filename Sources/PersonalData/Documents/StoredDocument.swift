import JSON
import Messages
import ServiceRuntime

/// A document as its owner reads it.
struct StoredDocument: Hashable, Sendable {
    let rowKey: Int64
    let key: DocumentKey
    let version: Int64
    let position: Int64
    /// The JSON text; empty if it was removed.
    let json: String
    let changedAt: Timestamp
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
struct OpenedPage: Sendable {
    let documents: [StoredDocument]
    /// Whether there are more after the last one.
    let hasMore: Bool
}
