import Contracts
import IdentityService
import JSON
import Messages
import ServiceRuntime

/// The documents of one request to write, read and checked as far as that needs no store.
struct DocumentWrites: Sendable {
    /// Documents of one call: a section of an app's settings, or an import of a person's data in
    /// parts. Each takes a statement of the transaction.
    static let countMax = 50
    /// The JSON of the documents that one call changes, in bytes: all that an account may have by
    /// default (`DocumentSettings.bytesMax`). So only a call that merges into more than that is
    /// refused, where the operator allows accounts more.
    static let bytesMax = 1 << 20
    /// What a call's documents count at most if they are small, in bytes of
    /// `DocumentWork.countedBytes`: one of this length, or two of half of it. The writer seals them
    /// in less time than a call takes to go to another thread and back.
    static let smallBytesMax = 2 * DocumentWork.documentBytesMin

    let all: [DocumentWrite]
    /// The language of sentences about violations.
    let voice: Voice

    /// Their number.
    var count: Int { all.count }

    /// - Throws: `rpc/invalid-argument` with the field; `auth/invalid-document` for a text that is
    ///   no JSON object within the limits.
    init(_ writes: [GatewayV1.DocumentWrite], voice: Voice) throws(ServiceError) {
        guard (1...Self.countMax).contains(writes.count) else {
            throw ServiceError(.invalidArgument, fields: ["writes"])
        }
        var all: [DocumentWrite] = []
        var seen: Set<DocumentKey> = []
        for (index, write) in writes.enumerated() {
            let write = try DocumentWrite(write, fieldPrefix: "writes[\(index)].")
            guard seen.insert(write.key).inserted else {
                throw ServiceError(.invalidArgument, fields: ["\(write.fieldPrefix)name"])
            }
            all.append(write)
        }
        self.all = all
        self.voice = voice
    }

    /// Whether documents are small.
    /// - Parameter lengths: the bytes of JSON of each.
    static func areSmall(_ lengths: [Int]) -> Bool {
        DocumentWork.countedBytes(of: lengths) <= smallBytesMax
    }

    /// The bytes of documents for `offLoop`: 0 for small ones whose collections declare no fields.
    /// To check declared fields can take milliseconds, also of a short document: patterns, choices.
    static func bytesOffLoop(_ lengths: [Int], hasFields: Bool) -> Int {
        areSmall(lengths) && !hasFields ? 0 : lengths.reduce(0, +)
    }

    /// The documents as they will be stored, if they are small and depend on nothing that is
    /// stored; otherwise nil. Also nil if the rules refuse one.
    func smallChanges(
        _ rules: DocumentRules, by writer: DocumentWriter
    ) -> [DocumentChange]? {
        guard Self.areSmall(all.map(\.bytes)) else { return nil }
        let changes = all.compactMap { write -> DocumentChange? in
            guard let rules = rules.collection(write.key.collection), !write.needsFormer(rules)
            else { return nil }
            // Dropped: other checks come before the rules, so `DocumentsHandler.change` refuses it.
            return try? write.change(of: nil, nil, rules, by: writer, in: voice)
        }
        // Defaults of the rules can make a short document long.
        guard changes.count == all.count, Self.areSmall(changes.map(\.json.utf8.count)) else {
            return nil
        }
        return changes
    }

    /// The answer of the first call, for a repeat: its request is the same (`RepeatableCall`).
    /// - Throws: `rpc/internal` if the stored answer has another number of documents.
    func answer(
        _ first: IdentityV1.StoredResponse
    ) throws(ServiceError) -> [GatewayV1.WrittenDocument] {
        guard first.documentVersions.count == all.count else {
            throw ServiceError(.internalError, detail: "an answer of another number of documents")
        }
        return zip(all, first.documentVersions).map { write, version in
            GatewayV1.WrittenDocument(
                collection: write.key.collection, name: write.key.name, version: version,
                changedAtMs: first.writtenAtMs)
        }
    }
}

/// One document to write.
struct DocumentWrite: Sendable {
    let key: DocumentKey
    /// The version that the caller has seen; nil to write over any.
    let base: Int64?
    let isMerge: Bool
    /// What its fields' names in the request begin with: `writes[0].`.
    let fieldPrefix: String
    /// The length of the text as it was sent.
    let bytes: Int
    private let json: JSONObject

    fileprivate init(
        _ write: GatewayV1.DocumentWrite, fieldPrefix: String
    ) throws(ServiceError) {
        self.fieldPrefix = fieldPrefix
        key = try DocumentKey.required(
            collection: write.collection, name: write.name, in: fieldPrefix)
        base = if case .baseVersion(let version) = write.base { version } else { nil }
        guard base ?? 0 >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["\(fieldPrefix)base_version"])
        }
        isMerge = write.merge
        bytes = write.json.utf8.count
        guard let json = DocumentText.object(in: write.json) else {
            throw .invalidDocument(.json, field: "\(fieldPrefix)json")
        }
        self.json = json
    }

    /// Compares the version that the caller has seen with the current one.
    /// - Throws: `auth/document-conflict` with the current version.
    func checkBase(against current: Int64) throws(ServiceError) {
        guard let base, base != current else { return }
        throw .documentConflict(current, field: "\(fieldPrefix)base_version")
    }

    /// Only this service writes drafts of onboarding, and backends.
    /// - Throws: `auth/invalid-document`.
    func checkCollection(_ writer: DocumentWriter) throws(ServiceError) {
        guard key.collection != DocumentRules.onboardingName || writer == .backend else {
            throw .invalidDocument(.serverOnly, field: "\(fieldPrefix)collection")
        }
    }

    /// Whether what is stored depends on the content of the former document.
    func needsFormer(_ rules: CollectionRules) -> Bool { isMerge || rules.needsFormer(of: key) }

    /// The document as it will be stored, merged with the former one where that is requested.
    /// - Parameters:
    ///   - former: nil if there was none.
    ///   - present: its content; nil if it was removed, or is not needed.
    /// - Throws: `auth/invalid-document`.
    func change(
        of former: DocumentState?, _ present: JSONObject?, _ rules: CollectionRules,
        by writer: DocumentWriter, in voice: Voice
    ) throws(ServiceError) -> DocumentChange {
        var change = try DocumentChange(
            isMerge ? (present ?? JSONObject()).merging(json) : json, at: key, of: former, present,
            rules, by: writer, field: "\(fieldPrefix)json", voice)
        if change.displayName == nil, removesDisplayName(from: present, rules) {
            change.displayName = ""
        }
        return change
    }

    /// Whether the account's display name goes (G-17): the write has null for its field, or replaces
    /// a document that has a name. Other writes without the field leave a name alone that never was
    /// in the document, such as that of a sign-up or a provider. So does the move of a guest's
    /// documents, which does not pass here.
    private func removesDisplayName(from present: JSONObject?, _ rules: CollectionRules) -> Bool {
        guard let field = rules.nameField(of: key) else { return false }
        return json[field] == .null || (!isMerge && present?[field]?.string != nil)
    }
}

extension DocumentChange {
    /// A document to write, filled with the defaults of the rules and checked by them.
    /// - Parameters:
    ///   - former: the document as it was read, also a removed one.
    ///   - present: its content; nil if it was removed, or the rules do not need it.
    ///   - field: the request's field that has the document, for violations: `writes[0].json`.
    ///   - voice: the language of the operator's reasons.
    /// - Throws: `auth/invalid-document`.
    init(
        _ document: JSONObject, at key: DocumentKey, of former: DocumentState?,
        _ present: JSONObject?, _ rules: CollectionRules, by writer: DocumentWriter, field: String,
        _ voice: Voice
    ) throws(ServiceError) {
        let document = rules.filled(document, replacing: present, by: writer)
        var violations = rules.violations(
            of: document, replacing: present, by: writer, voice: voice)
        let name = rules.nameField(of: key).flatMap { document[$0]?.string }
        // It is the greeting of mails, where a line break would begin another header or line.
        if let name, !Applicant.isDisplayName(name) {
            violations.append(
                .init(
                    field: rules.displayNameField ?? "",
                    rule: DocumentViolation.textLength.rawValue))
        }
        guard violations.isEmpty else {
            throw .invalidDocument(violations.map { $0.inside(field) })
        }
        guard let text = DocumentText.text(document) else {
            throw .invalidDocument(.json, field: field)
        }
        self.init(key: key, former: former, json: text, displayName: name)
    }
}

extension CollectionRules {
    /// The field of a document that is the account's display name; nil if it has none.
    fileprivate func nameField(of key: DocumentKey) -> String? {
        key.name == DocumentKey.main ? displayNameField : nil
    }

    /// Whether a write depends on the content that it replaces: fields that a writer cannot change,
    /// and a display name that goes with it.
    fileprivate func needsFormer(of key: DocumentKey) -> Bool {
        hasFixedFields || nameField(of: key) != nil
    }
}

extension ServiceError {
    /// `auth/document-conflict`: the document is at `current`; 0 if it does not exist.
    static func documentConflict(_ current: Int64, field: String) -> ServiceError {
        var error = ServiceError(.documentConflict, fields: [field])
        error.currentVersion = current
        return error
    }

    /// `auth/invalid-document`: `field` breaks `rule`.
    static func invalidDocument(_ rule: DocumentViolation, field: String) -> ServiceError {
        invalidDocument([Violation(field: field, rule: rule.rawValue)])
    }

    /// `auth/invalid-document` with all violations.
    static func invalidDocument(_ violations: [Violation]) -> ServiceError {
        var error = ServiceError(.invalidDocument)
        error.violations = violations
        return error
    }
}

extension ServiceError.Violation {
    /// The violation of a field inside `place`: `json.age`.
    func inside(_ place: String) -> Self {
        var violation = self
        violation.field = "\(place).\(field)"
        return violation
    }
}
