import Cryptography
import JSON
import Messages
import ServiceRuntime
import Storage

/// The draft of a section: the document of its name in the collection `onboarding`, which owners
/// read and only this service writes:
///
///     {"screen": "sleep", "fields": {"bedtime": "22:30"}}
struct OnboardingDraft: Sendable {
    /// The section's fields.
    let fields: JSONObject
    /// The screen that the last save named; may be empty.
    let screen: String
    /// The draft's version; 0 if there is none.
    let version: Int64
    /// The position of its last save; nil for a draft that was not read from the store.
    let position: Int64?

    /// A draft that was saved just now.
    init(fields: JSONObject, screen: String, version: Int64) {
        self.fields = fields
        self.screen = screen
        self.version = version
        position = nil
    }

    /// Reads a document: that of the section, also a removed one; nil if it was never saved.
    /// - Throws: `rpc/internal` if the stored text is no object.
    init(_ document: StoredDocument?) throws(ServiceError) {
        let object = try document?.object()
        fields = object?["fields"]?.object ?? JSONObject()
        screen = object?["screen"]?.string ?? ""
        version = document?.state.currentVersion ?? 0
        position = document?.position
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

    /// A section and its draft.
    init(_ rules: OnboardingSectionRules, _ draft: OnboardingDraft) {
        self.rules = rules
        self.draft = draft
    }

    /// It was saved, and nothing required is missing.
    var isDone: Bool {
        draft.version > 0 && rules.missing(in: draft.fields, voice: .english).isEmpty
    }

    /// The section as a message, with reasons in `voice`.
    func message(_ voice: Voice) -> GatewayV1.OnboardingSection {
        GatewayV1.OnboardingSection(
            name: rules.name, screens: rules.screens.map(\.name), done: isDone,
            json: JSONWriter.text(rules.filled(draft.fields)), version: draft.version,
            missing: rules.missing(in: draft.fields, voice: voice).map {
                GatewayV1.MissingField(field: $0.field, screen: $0.screen, reason: $0.reason)
            })
    }
}

extension OnboardingRules {
    /// The rows of all drafts, in the order of the sections; nil for one that was never saved.
    /// - Throws: `SQLError`.
    func draftRows(
        of account: AccountID, _ hash: KeyedHash, in session: some SQLSession
    ) throws -> [DocumentRow?] {
        try sections.map { section in
            try session.documentRow(
                hash.nameKey(OnboardingDraft.key(section.name), of: account), of: account)
        }
    }

    /// All sections with their drafts, in order.
    /// - Parameter rows: as `draftRows` returned them.
    /// - Throws: as `OwnedDocuments.open`; `rpc/internal` if a stored text is no object.
    func withDrafts(
        _ rows: [DocumentRow?], of documents: OwnedDocuments
    ) async throws -> [SectionWithDraft] {
        try await zip(sections, rows).inTurns { section, row in
            SectionWithDraft(section, try OnboardingDraft(row.map(documents.open)))
        }
    }
}
