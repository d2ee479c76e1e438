import JSON
import PersonalData

extension DocumentRules {
    /// `5 collections, 33 fields; onboarding of 5 sections, 22 screens, 31 fields`
    var summary: String {
        let fields = collections.reduce(0) { $0 + $1.fields.count }
        let documents = "\(collections.count) collections, \(fields) fields"
        guard let sections = onboarding?.sections else { return "\(documents); no onboarding" }
        let screens = sections.flatMap(\.screens)
        let asked = screens.reduce(0) { $0 + $1.fields.count }
        return "\(documents); onboarding of \(sections.count) sections, \(screens.count) screens, "
            + "\(asked) fields"
    }

    /// Everything that the file says, apart from reasons.
    var json: JSONValue {
        .object([
            "collections": .array(collections.map(\.json)),
            "sections": .array((onboarding?.sections ?? []).map(\.json)),
        ])
    }
}

extension CollectionRules {
    /// A row for each field, and one for the collection if it declares none.
    var rows: [Row] {
        let others = allowsOtherFields ? "*" : nil
        return fields.map { row($0.name, type: $0.value.type.rawValue, rules: $0.words) }
            + (others.map { [row($0, type: "", rules: ["other fields are allowed"])] } ?? [])
    }

    private func row(_ field: String, type: String, rules: [String]) -> Row {
        Row([
            .init("collection", name), .init("needs", need.rawValue), .init("field", field),
            .init("type", type), .init("rules", rules.joined(separator: ", ")),
        ])
    }

    fileprivate var json: JSONValue {
        .object([
            "collection": .string(name), "needs": .string(need.rawValue),
            "fields": .array(fields.map { .object($0.json) }),
            "other_fields": .boolean(allowsOtherFields),
        ])
    }
}

extension OnboardingSectionRules {
    /// A row for each field, and one for each screen without fields.
    var rows: [Row] {
        screens.flatMap { screen in
            let rows = screen.fields.map { field in
                row(
                    screen, field.rule.name, to: field.target,
                    rules: [field.rule.value.type.rawValue] + field.rule.words)
            }
            return rows.isEmpty ? [row(screen, "", to: nil, rules: [])] : rows
        }
    }

    private func row(
        _ screen: OnboardingScreenRules, _ field: String, to target: OnboardingFieldRule.Target?,
        rules: [String]
    ) -> Row {
        Row([
            .init("section", name), .init("screen", screen.name), .init("field", field),
            .init("written_to", target?.text ?? ""),
            .init("rules", rules.joined(separator: ", ")),
        ])
    }

    fileprivate var json: JSONValue {
        .object([
            "section": .string(name),
            "screens": .array(
                screens.map { screen in
                    .object([
                        "screen": .string(screen.name),
                        "fields": .array(
                            screen.fields.map { field in
                                var json = field.rule.json
                                _ = json.add(
                                    "written_to", field.target.map { .string($0.text) } ?? .null)
                                return .object(json)
                            }),
                    ])
                }),
        ])
    }
}

extension OnboardingFieldRule.Target {
    fileprivate var text: String { "\(collection).\(field)" }
}

extension FieldRule {
    /// What it requires, without its type.
    fileprivate var words: [String] {
        let claims = [
            (isRequired, "required"), (isReadOnly, "read-only"), (isServerOnly, "server-only"),
            (isDisplayName, "display name"),
        ].filter(\.0).map(\.1)
        let defaults = defaultValue.map { ["default \(JSONWriter.text($0, .shown))"] } ?? []
        return claims + value.words + defaults
    }

    fileprivate var json: JSONObject {
        var json = JSONObject(unique: [.init(name: "field", value: .string(name))])
        for member in value.json.members { _ = json.add(member.name, member.value) }
        _ = json.add("required", .boolean(isRequired))
        if let defaultValue { _ = json.add("default", defaultValue) }
        _ = json.add("read_only", .boolean(isReadOnly))
        _ = json.add("server_only", .boolean(isServerOnly))
        _ = json.add("display_name", .boolean(isDisplayName))
        return json
    }
}

extension ValueRule {
    /// The bounds as JSON; null for none.
    private var bounds: [JSONValue]? {
        range.map { range in
            [range.lowerBound, range.upperBound].map { bound in
                guard bound.isFinite else { return .null }
                return Int64(exactly: bound).map { .integer($0) } ?? .real(bound)
            }
        }
    }

    /// What it requires, without its type.
    fileprivate var words: [String] {
        let bounds = bounds.map { ["range \(JSONWriter.text(.array($0), .shown))"] } ?? []
        let length = length.map { ["length \($0.lowerBound) to \($0.upperBound)"] } ?? []
        let pattern = pattern.map { ["pattern \($0.text)"] } ?? []
        let choices = choices.isEmpty ? [] : ["one of \(JSONWriter.text(.array(choices), .shown))"]
        let items = items.map { "items: \(([$0.type.rawValue] + $0.words).joined(separator: " "))" }
        let inside = fields.map { field in
            ".\(field.name): \(([field.value.type.rawValue] + field.words).joined(separator: " "))"
        }
        return bounds + length + pattern + choices + items + inside
    }

    fileprivate var json: JSONObject {
        var json = JSONObject(unique: [.init(name: "type", value: .string(type.rawValue))])
        if let bounds { _ = json.add("range", .array(bounds)) }
        if let length {
            let bounds = [length.lowerBound, length.upperBound]
            _ = json.add("length", .array(bounds.map { .integer(Int64($0)) }))
        }
        if let pattern { _ = json.add("pattern", .string(pattern.text)) }
        if !choices.isEmpty { _ = json.add("one_of", .array(choices)) }
        if let items = items.first { _ = json.add("items", .object(items.json)) }
        if type == .object {
            _ = json.add("fields", .array(fields.map { .object($0.json) }))
            _ = json.add("other_fields", .boolean(allowsOtherFields))
        }
        return json
    }
}
