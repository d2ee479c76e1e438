import JSON
import ServiceRuntime

extension RulesReader {
    /// Where a field is declared, which decides what may be said about it.
    enum FieldOwner: Equatable {
        case document(collection: String)
        /// Inside another field.
        case object
        case screen

        /// The names of members that a field may have here.
        fileprivate var names: [String] {
            let names = RulesReader.valueNames + ["required", "default", "reason"]
            switch self {
            case .document(DocumentRules.profileName):
                return names + ["read-only", "server-only", "display-name"]
            case .document: return names + ["read-only", "server-only"]
            case .object: return names
            case .screen: return names + ["to"]
            }
        }
    }

    private static let valueNames = [
        "type", "range", "length", "pattern", "one-of", "items", "fields", "other-fields",
    ]

    /// A field's rule. Nil where it cannot be read; then there is a mistake.
    mutating func field(_ entry: FileNode.Entry, of owner: FieldOwner) -> FieldRule? {
        let place = entry.node.place
        guard Self.isName(entry.name) else {
            mistake("a field's name is 1 to 64 letters, digits, \"-\" and \"_\"", at: place)
            return nil
        }
        guard let members = members(of: entry.node, among: owner.names),
            let value = value(members, at: place)
        else { return nil }
        let rule = FieldRule(
            name: entry.name, value: value, isRequired: boolean(members["required"]),
            defaultValue: members["default"].flatMap { defaultValue($0, of: value) },
            isReadOnly: boolean(members["read-only"]),
            isServerOnly: boolean(members["server-only"]),
            isDisplayName: boolean(members["display-name"]),
            reason: members["reason"].flatMap { reason($0) })
        if rule.isServerOnly, rule.isRequired, rule.defaultValue == nil {
            mistake(
                "it is required, and its owner cannot write it: it needs a default", at: place)
        }
        if rule.isDisplayName, value.type != .text {
            mistake("the display name must be a text", at: place)
        }
        return rule
    }

    private mutating func defaultValue(_ node: FileNode, of rule: ValueRule) -> JSONValue? {
        for violation in rule.violations(of: node.json) {
            let inside = violation.place.isEmpty ? "" : " (\(violation.place))"
            mistake(
                "the default breaks the rule \(violation.rule.rawValue)\(inside)", at: node.place)
        }
        return node.json
    }

    private mutating func reason(_ node: FileNode) -> FieldReason? {
        if case .single(.string(let text)) = node.value {
            return isReason(text, at: node.place) ? FieldReason(texts: [.english: text]) : nil
        }
        guard let members = members(of: node, among: Voice.allCases.map(\.tag)) else { return nil }
        var texts: [Voice: String] = [:]
        for (tag, node) in members {
            let text = node.json.string ?? ""
            if isReason(text, at: node.place), let voice = Voice(tag: tag) { texts[voice] = text }
        }
        return texts.isEmpty ? nil : FieldReason(texts: texts)
    }

    private mutating func isReason(_ text: String, at place: FilePlace) -> Bool {
        let bytesMax = RulesDocument.Limits.reasonBytesMax
        guard (1...bytesMax).contains(text.utf8.count) else {
            mistake("a reason is a text of 1 to \(bytesMax) bytes", at: place)
            return false
        }
        return true
    }

    // MARK: Values

    private mutating func value(_ members: [String: FileNode], at place: FilePlace) -> ValueRule? {
        guard let node = members["type"] else {
            let words = FieldType.allCases.map(\.rawValue).joined(separator: ", ")
            mistake("it needs a type: one of \(words)", at: place)
            return nil
        }
        guard let type: FieldType = choice(node, of: FieldType.allCases) else { return nil }
        for (name, types) in Self.typesByName {
            guard let node = members[name], !types.contains(type) else { continue }
            let words = types.map(\.rawValue).joined(separator: ", ")
            mistake("\(name) is for \(words), not for \(type.rawValue)", at: node.place)
        }
        let fields = entries(
            of: members["fields"], atMost: RulesDocument.Limits.fieldsMax, "fields"
        ).compactMap { field($0, of: .object) }
        return ValueRule(
            type: type, range: members["range"].flatMap { range($0) },
            length: members["length"].flatMap { length($0) },
            pattern: members["pattern"].flatMap { pattern($0) },
            choices: members["one-of"].map { choices($0, type) } ?? [],
            items: members["items"].flatMap { items($0) }.map { [$0] } ?? [], fields: fields,
            allowsOtherFields: allowsOtherFields(members["other-fields"], beside: fields))
    }

    /// The types that a member is for, in the order in which mistakes are reported.
    private static let typesByName: [(name: String, types: [FieldType])] = [
        ("range", [.integer, .number]), ("length", [.text, .list]), ("pattern", [.text]),
        ("one-of", [.text, .integer, .number, .date, .time]), ("items", [.list]),
        ("fields", [.object]), ("other-fields", [.object]),
    ]

    private mutating func items(_ node: FileNode) -> ValueRule? {
        members(of: node, among: Self.valueNames).flatMap { value($0, at: node.place) }
    }

    /// `[18, 120]`; `null` instead of a number is no bound.
    private mutating func range(_ node: FileNode) -> ClosedRange<Double>? {
        let bounds = list(node, count: 2...2, "numbers").map { bound -> Double? in
            if bound.json == .null { return .nan }
            return bound.json.double
        }
        guard bounds.count == 2 else { return nil }
        guard let first = bounds[0], let last = bounds[1] else {
            mistake("a bound is a number, or null for none", at: node.place)
            return nil
        }
        let lower = first.isNaN ? -Double.infinity : first
        let upper = last.isNaN ? Double.infinity : last
        guard lower <= upper else {
            mistake("the first number is larger than the second", at: node.place)
            return nil
        }
        return lower...upper
    }

    private mutating func length(_ node: FileNode) -> ClosedRange<Int>? {
        guard let range = range(node) else { return nil }
        let lengthMax = Double(RulesDocument.Limits.lengthMax)
        let lower = range.lowerBound == -.infinity ? 0 : range.lowerBound
        let upper = range.upperBound == .infinity ? lengthMax : range.upperBound
        guard lower == lower.rounded(), upper == upper.rounded(), lower >= 0,
            lower <= upper, upper <= lengthMax
        else {
            mistake(
                "a length is a whole number from 0 to \(RulesDocument.Limits.lengthMax)",
                at: node.place)
            return nil
        }
        return Int(lower)...Int(upper)
    }

    private mutating func pattern(_ node: FileNode) -> TextPattern? {
        guard let text = node.json.string else {
            mistake("a pattern is a text; put it in quotes", at: node.place)
            return nil
        }
        // They would be ordinary characters (RFC 9485), which is never what was meant.
        if text.hasPrefix("^") || text.hasSuffix("$") {
            mistake(
                "a pattern matches the whole text: leave out ^ and $, or write [$] and \\^",
                at: node.place)
        }
        do {
            return try TextPattern(text)
        } catch {
            mistake("the pattern is not valid: \(error.sentence)", at: node.place)
            return nil
        }
    }

    private mutating func choices(_ node: FileNode, _ type: FieldType) -> [JSONValue] {
        let nodes = list(node, count: 1...RulesDocument.Limits.choicesMax, "values")
        for node in nodes where !type.includes(node.json) {
            let hint = type == .text ? "; a text that looks like a number needs quotes" : ""
            mistake("it is not of the type \(type.rawValue)\(hint)", at: node.place)
        }
        return nodes.map(\.json)
    }
}
