package import JSON
import ServiceRuntime

/// The type of a field's value. The raw values are those of the rules file.
package enum FieldType: String, CaseIterable, Sendable {
    case text
    /// A number without a fraction.
    case integer
    case number
    case boolean
    case list
    case object
    /// A text: a day of the calendar, `2026-01-31`.
    case date
    /// A text: a time of day, `07:30` or `07:30:00`.
    case time
}

/// What a value must be: a field's, or an item's of a list.
package struct ValueRule: Hashable, Sendable {
    /// Its type.
    package let type: FieldType
    /// The smallest and the largest number; infinite for no bound.
    package let range: ClosedRange<Double>?
    /// The number of characters (Unicode scalars) of a text, or of items of a list.
    package let length: ClosedRange<Int>?
    /// What a text must match.
    package let pattern: TextPattern?
    /// The only values that are allowed; empty for any.
    package let choices: [JSONValue]
    /// The rule of a list's items: one, or none for any items.
    package let items: [ValueRule]
    /// The declared fields of an object.
    package let fields: [FieldRule]
    /// Whether an object may have other fields.
    package let allowsOtherFields: Bool
}

extension ValueRule {
    /// A rule that a value breaks.
    struct Violation: Hashable {
        let rule: DocumentViolation
        /// Where in the value, as it follows a field's name: `.city`, `[0]`; empty for the value.
        var place = ""
        /// The reason of the field inside; nil if it has none.
        var reason: FieldReason?
    }

    /// Violations that are reported of one value: a list of 64 KiB may have thousands.
    private static let violationsMax = 20

    /// The rules that a value breaks; those after the type only if the type is right.
    func violations(of value: JSONValue) -> [Violation] {
        guard type.includes(value) else { return [Violation(rule: .type)] }
        var violations: [Violation] = []
        if let range, let number = value.double, !range.contains(number) {
            violations.append(Violation(rule: .range))
        }
        if let length, let count = value.length, !length.contains(count) {
            violations.append(Violation(rule: .textLength))
        } else if let pattern, let text = value.string, !pattern.matches(text) {
            // Not of a text that is too long: the time to match grows with its length.
            violations.append(Violation(rule: .pattern))
        }
        if !choices.isEmpty, !choices.contains(where: value.isSame) {
            violations.append(Violation(rule: .enumeration))
        }
        if let item = items.first, let values = value.array {
            violations += item.violations(in: values)
        }
        if let object = value.object { violations += violationsInside(object) }
        return Array(violations.prefix(Self.violationsMax))
    }

    private func violations(in values: [JSONValue]) -> [Violation] {
        var violations: [Violation] = []
        for (index, value) in values.enumerated() where violations.count < Self.violationsMax {
            violations += self.violations(of: value).map { $0.inside("[\(index)]", reason: nil) }
        }
        return violations
    }

    private func violationsInside(_ object: JSONObject) -> [Violation] {
        var violations = fields.respelled(in: object).map {
            Violation(rule: .unknownField, place: ".\($0)")
        }
        for field in fields {
            let place = ".\(field.name)"
            if field.isMissing(in: object) {
                violations.append(Violation(rule: .required, place: place, reason: field.reason))
            } else if let value = object[field.name], value != .null {
                violations += field.value.violations(of: value).map {
                    $0.inside(place, reason: field.reason)
                }
            }
        }
        guard !allowsOtherFields else { return violations }
        return violations
            + fields.undeclaredNames(in: object).map {
                Violation(rule: .unknownField, place: ".\($0)")
            }
    }
}

extension ValueRule.Violation {
    fileprivate func inside(_ place: String, reason outer: FieldReason?) -> Self {
        Self(rule: rule, place: place + self.place, reason: reason ?? outer)
    }
}

extension FieldType {
    /// Whether a value has this type.
    func includes(_ value: JSONValue) -> Bool {
        switch self {
        case .text: value.string != nil
        case .integer: value.isWhole
        case .number: value.double != nil
        case .boolean: value == .boolean(true) || value == .boolean(false)
        case .list: value.array != nil
        case .object: value.object != nil
        case .date: value.string.map { CalendarDate(text: $0) != nil } ?? false
        case .time: value.string.map(TimeOfDayText.isValid) ?? false
        }
    }
}
