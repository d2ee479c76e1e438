import JSON
import ServiceRuntime
import Storage

/// What a completion of onboarding writes: the fields of the drafts to their targets, merged into
/// the documents that exist.
struct OnboardingCompletion: Sendable {
    let rules: DocumentRules
    let sections: [SectionWithDraft]
    let voice: Voice

    /// The collections that it writes to.
    var collections: [CollectionRules] { documents.compactMap { rules.collection($0.collection) } }

    /// The fields for each document. Of a draft that lacks some, only those that are there.
    private var documents: [(collection: String, fields: JSONObject)] {
        let drafts = Dictionary(
            uniqueKeysWithValues: sections.map { ($0.rules.name, $0.draft.fields) })
        return rules.onboarding?.documents(from: drafts) ?? []
    }

    /// The documents to write: those that are not like that already.
    /// - Parameter opened: the document `main` of a collection; nil if there is none.
    /// - Throws: `auth/invalid-document` with all that is missing or invalid, as `section.field`; what
    ///   `opened` throws.
    func changes(
        _ opened: (_ collection: String) throws -> StoredDocument?
    ) throws -> [DocumentChange] {
        try require(violations)
        var changes: [DocumentChange] = []
        var violations: [ServiceError.Violation] = []
        for (collection, fields) in documents {
            guard let rules = rules.collection(collection) else { continue }
            let key = DocumentKey.main(collection)
            let former = try opened(collection)
            do throws(ServiceError) {
                let present = try former?.object()
                let change = try DocumentChange(
                    (present ?? JSONObject()).merging(fields), at: key, of: former?.state, present,
                    rules, by: .owner, field: collection, voice)
                if former?.json != change.json { changes.append(change) }
            } catch {
                guard error.code == .invalidDocument else { throw error }
                violations += error.violations.map(inDraft)
            }
        }
        try require(violations)
        return changes
    }

    /// What is missing in the drafts, or is invalid since the rules have changed.
    private var violations: [ServiceError.Violation] {
        sections.flatMap { section in
            let missing = section.rules.missing(in: section.draft.fields, voice: voice).map {
                ServiceError.Violation(
                    field: $0.field, rule: DocumentViolation.required.rawValue,
                    sentence: $0.reason.isEmpty ? nil : $0.reason)
            }
            // A field that the rules have no more is not written.
            let invalid = section.rules.violations(of: section.draft.fields, voice: voice)
                .filter { $0.rule != DocumentViolation.unknownField.rawValue }
            return (missing + invalid).map { $0.inside(section.rules.name) }
        }
    }

    private func require(_ violations: [ServiceError.Violation]) throws(ServiceError) {
        guard violations.isEmpty else { throw .invalidDocument(violations) }
    }

    /// A violation of a document (`profile.address.city`) as one of the draft that it comes from
    /// (`about.home.city`). One that comes from no draft is left as it is.
    private func inDraft(_ violation: ServiceError.Violation) -> ServiceError.Violation {
        for section in sections {
            for field in section.rules.fields {
                guard let target = field.target else { continue }
                let place = "\(target.collection).\(target.field)"
                let rest = violation.field.dropFirst(place.count)
                guard violation.field.hasPrefix(place),
                    rest.first.map({ $0 == "." || $0 == "[" }) ?? true
                else { continue }
                var violation = violation
                violation.field = "\(section.rules.name).\(field.rule.name)\(rest)"
                return violation
            }
        }
        return violation
    }
}
