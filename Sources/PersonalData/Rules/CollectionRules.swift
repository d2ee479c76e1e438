import JSON
import ServiceRuntime

/// The rules of one collection's documents (I-07).
package struct CollectionRules: Hashable, Sendable {
    /// Violations of one document that are reported: it may have a thousand fields.
    static let violationsMax = 50

    /// The collection's name.
    package let name: String
    /// What an account needs to write to it.
    package let need: AccountNeed
    /// The declared fields, in the order of the file.
    package let fields: [FieldRule]
    /// Whether documents may have fields that are not declared.
    package let allowsOtherFields: Bool

    init(
        name: String, need: AccountNeed = .nothing, fields: [FieldRule] = [],
        allowsOtherFields: Bool = true
    ) {
        self.name = name
        self.need = need
        self.fields = fields
        self.allowsOtherFields = allowsOtherFields
    }

    /// The field that gives the account's display name.
    var displayNameField: String? { fields.first(where: \.isDisplayName)?.name }

    /// Whether it has fields that the owner cannot change, or not always.
    var hasFixedFields: Bool { fields.contains { $0.isServerOnly || $0.isReadOnly } }

    /// The names of the fields that a document must have.
    var requiredFields: [String] { fields.filter(\.isRequired).map(\.name) }

    /// The document as it is to be stored: with the defaults of absent fields.
    ///
    /// Fields that only the server writes are not the owner's to leave out: a write by the owner
    /// without one keeps the value of `former`.
    /// - Parameter former: The document that is replaced. Nil for a new one.
    func filled(
        _ document: JSONObject, replacing former: JSONObject?, by writer: DocumentWriter
    ) -> JSONObject {
        var kept: [String: JSONValue] = [:]
        if writer == .owner, let former {
            for field in fields where field.isServerOnly { kept[field.name] = former[field.name] }
        }
        return fields.filled(document, keeping: kept)
    }

    /// A guest's document that replaces the account's, with the account's values of the fields that
    /// the owner cannot change.
    ///
    /// Attack: an owner whose credit is spent signs in as a fresh guest, whose document has the
    /// default credit and is newer.
    func moved(_ document: JSONObject, over former: JSONObject) -> JSONObject {
        let kept = fields.filter { field in
            let value = former[field.name] ?? .null
            return field.isServerOnly || field.isReadOnly && value != .null
        }
        return document.merging(
            JSONObject(
                unique: kept.map { field in
                    JSONObject.Member(name: field.name, value: former[field.name] ?? .null)
                }))
    }

    /// What is wrong with a document, in the order of its rules. `field` is the name of a field
    /// (`age`), of one inside it (`address.city`) or of an item (`days[0]`).
    /// - Parameters:
    ///   - document: The document with its defaults, as `filled` returns it.
    ///   - former: The document that it replaces. Nil for a new one.
    ///   - voice: The language of the operator's reasons.
    func violations(
        of document: JSONObject, replacing former: JSONObject?, by writer: DocumentWriter,
        voice: Voice
    ) -> [ServiceError.Violation] {
        var violations = fields.respelled(in: document).map {
            ServiceError.Violation(field: $0, rule: DocumentViolation.unknownField.rawValue)
        }
        for field in fields {
            let former = former?[field.name]
            let rule =
                writer == .owner
                ? field.ruleAgainstChange(from: former, to: document[field.name]) : nil
            if let rule {
                violations.append(field.violation(rule, voice))
            } else {
                violations += field.violations(of: document[field.name], voice)
            }
        }
        if !allowsOtherFields { violations += fields.unknownFields(in: document) }
        return Array(violations.prefix(Self.violationsMax))
    }
}
