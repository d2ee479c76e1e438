import JSON
import ServiceRuntime

/// The sections of onboarding, as the operator declares them (G-18).
package struct OnboardingRules: Hashable, Sendable {
    /// The sections, in order, at least one.
    package let sections: [OnboardingSectionRules]

    /// The rules of a section. Nil for one that is not declared.
    func section(_ name: String) -> OnboardingSectionRules? {
        sections.first { $0.name == name }
    }

    /// The collections that a completion may write to.
    var targetCollections: Set<String> {
        Set(sections.flatMap(\.fields).compactMap(\.target?.collection))
    }

    /// The fields that completion writes to the document `main` of each collection, from the drafts
    /// by section and the defaults. Fields of that document that no section writes are not in them.
    func documents(
        from drafts: [String: JSONObject]
    ) -> [(collection: String, fields: JSONObject)] {
        var documents: [(collection: String, fields: JSONObject)] = []
        for section in sections {
            let draft = section.filled(drafts[section.name] ?? JSONObject())
            for field in section.fields {
                guard let target = field.target, let value = draft[field.rule.name], value != .null
                else { continue }
                let index = documents.firstIndex { $0.collection == target.collection }
                if index == nil { documents.append((target.collection, JSONObject())) }
                // The file has no target twice, so that the name is new.
                _ = documents[index ?? documents.count - 1].fields.add(target.field, value)
            }
        }
        return documents
    }
}

/// A section of onboarding: its draft is one JSON object with the fields of all its screens.
package struct OnboardingSectionRules: Hashable, Sendable {
    /// The section's name.
    package let name: String
    /// Its screens, in order.
    package let screens: [OnboardingScreenRules]

    /// The fields of all screens, in order.
    var fields: [OnboardingFieldRule] { screens.flatMap(\.fields) }

    /// A draft with the defaults of absent fields.
    func filled(_ draft: JSONObject) -> JSONObject {
        fields.map(\.rule).filled(draft, keeping: [:])
    }

    /// What is wrong with a draft. Required fields may be missing; a field that is given must be
    /// valid and declared.
    func violations(of draft: JSONObject, voice: Voice) -> [ServiceError.Violation] {
        let rules = fields.map(\.rule)
        let given = rules.filter { draft[$0.name].map { $0 != .null } ?? false }
        let violations =
            given.flatMap { $0.violations(of: draft[$0.name], voice) }
            + rules.unknownFields(in: draft)
        return Array(violations.prefix(CollectionRules.violationsMax))
    }

    /// The required fields that a draft with its defaults lacks.
    func missing(in draft: JSONObject, voice: Voice) -> [OnboardingMissingField] {
        let draft = filled(draft)
        return screens.flatMap { screen in
            screen.fields.map(\.rule).filter { $0.isMissing(in: draft) }.map { rule in
                OnboardingMissingField(
                    field: rule.name, screen: screen.name,
                    reason: rule.reason?.text(in: voice) ?? "")
            }
        }
    }
}

/// A screen of a section.
package struct OnboardingScreenRules: Hashable, Sendable {
    /// The screen's name.
    package let name: String
    /// Its fields; none for a screen that only shows something.
    package let fields: [OnboardingFieldRule]
}

/// A field of a section.
package struct OnboardingFieldRule: Hashable, Sendable {
    /// A field of a collection's document `main`.
    package struct Target: Hashable, Sendable {
        /// The collection.
        package let collection: String
        /// The field.
        package let field: String
    }

    /// What the field's value must be.
    package let rule: FieldRule
    /// The field that completion writes. Nil: it stays in the draft.
    package let target: Target?
}

/// A required field that a draft lacks.
struct OnboardingMissingField: Hashable, Sendable {
    /// The field's name.
    let field: String
    /// The screen with the field.
    let screen: String
    /// Why it is required, for the person; empty where the operator gives no reason.
    let reason: String
}
