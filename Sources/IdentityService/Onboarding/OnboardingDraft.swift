import JSON
import Messages
import ServiceRuntime
import Storage

/// The draft of a section: the document of its name in the collection `onboarding`, which owners
/// read and only this service writes:
///
///     {"screen": "sleep", "fields": {"bedtime": "22:30"}}
struct OnboardingDraft: Sendable {
    /// The document as it is stored, also a removed one; nil if the section was never saved.
    let document: StoredDocument?
    /// The section's fields.
    let fields: JSONObject
    /// The screen that the last save named; may be empty.
    let screen: String

    /// The draft's version; 0 if there is none.
    var version: Int64 { document.currentVersion }

    /// Reads a document.
    /// - Throws: `rpc/internal` if the stored text is no object.
    init(_ document: StoredDocument?) throws(ServiceError) {
        self.document = document
        let object = try document?.object()
        fields = object?["fields"]?.object ?? JSONObject()
        screen = object?["screen"]?.string ?? ""
    }

    /// The key of a section's document.
    static func key(_ section: String) -> DocumentKey {
        DocumentKey(collection: DocumentRules.onboardingName, name: section)
    }

    /// The text of a draft as it is stored.
    /// - Returns: nil if it is too long or nested too deep to be read back.
    static func text(fields: JSONObject, screen: String) -> String? {
        DocumentText.text(["screen": .string(screen), "fields": .object(fields)])
    }
}

/// A section with its draft.
struct SectionWithDraft: Sendable {
    let rules: OnboardingSectionRules
    let draft: OnboardingDraft

    /// The section's document, opened.
    init(
        _ rules: OnboardingSectionRules, of documents: OwnedDocuments, in session: some SQLSession
    ) throws {
        self.rules = rules
        draft = try OnboardingDraft(
            documents.document(OnboardingDraft.key(rules.name), in: session))
    }

    /// It was saved, and nothing required is missing.
    var isDone: Bool {
        draft.version > 0 && rules.missing(in: draft.fields, voice: .english).isEmpty
    }

    /// The section as a message, with reasons in `voice`.
    func message(_ voice: Voice) -> IdentityV1.OnboardingSection {
        IdentityV1.OnboardingSection(
            name: rules.name, screens: rules.screens.map(\.name), done: isDone,
            json: JSONWriter.text(rules.filled(draft.fields)), version: draft.version,
            missing: rules.missing(in: draft.fields, voice: voice).map {
                IdentityV1.MissingField(field: $0.field, screen: $0.screen, reason: $0.reason)
            })
    }
}

extension OnboardingRules {
    /// All sections with their drafts, in order.
    func withDrafts(
        of documents: OwnedDocuments, in session: some SQLSession
    ) throws -> [SectionWithDraft] {
        try sections.map { try SectionWithDraft($0, of: documents, in: session) }
    }
}
