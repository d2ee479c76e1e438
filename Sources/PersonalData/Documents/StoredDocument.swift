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
    /// - Parameters:
    ///   - withJSON: whether it has the text.
    ///   - rules: for the drafts of onboarding.
    /// - Throws: as `shownJSON`.
    func message(
        withJSON: Bool, _ rules: DocumentRules
    ) throws(ServiceError) -> GatewayV1.Document {
        GatewayV1.Document(
            collection: key.collection, name: key.name, version: version,
            json: try withJSON ? shownJSON(rules) : "", changedAtMs: changedAt.milliseconds)
    }

    /// The JSON text as its readers get it; empty for a removed document. A draft of onboarding has
    /// the form that `GetOnboarding` gives (G-18), also where a comparison shows it (G-16): its fields
    /// with the defaults of the rules, without the screen. That of a section which is declared no more
    /// has the fields alone.
    /// - Throws: `rpc/internal` if the stored text of a draft is no object.
    func shownJSON(_ rules: DocumentRules) throws(ServiceError) -> String {
        guard key.collection == DocumentRules.onboardingName, !isRemoved else { return json }
        let fields = try OnboardingDraft(self).fields
        return JSONWriter.text(rules.onboarding?.section(key.name)?.filled(fields) ?? fields)
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
