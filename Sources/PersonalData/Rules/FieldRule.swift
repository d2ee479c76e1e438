package import JSON
package import ServiceRuntime

/// What the operator requires of one field.
package struct FieldRule: Hashable, Sendable {
    /// The field's name.
    package let name: String
    /// What its value must be.
    package let value: ValueRule
    /// A document without it is refused.
    package let isRequired: Bool
    /// The value of a document without it.
    package let defaultValue: JSONValue?
    /// The owner cannot change it once it has a value.
    package let isReadOnly: Bool
    /// Only the app's backend writes it.
    package let isServerOnly: Bool
    /// Its text is the account's display name.
    package let isDisplayName: Bool
    /// Why the app needs it, for the person.
    package let reason: FieldReason?

    /// Whether it is required, and an object with its defaults has no value for it. `null` is none.
    func isMissing(in object: JSONObject) -> Bool {
        isRequired && (object[name] ?? .null) == .null
    }

    /// The rule that forbids the owner this change; nil if none does.
    func ruleAgainstChange(from former: JSONValue?, to new: JSONValue?) -> DocumentViolation? {
        guard isServerOnly || isReadOnly else { return nil }
        let former = former ?? .null
        let new = new ?? .null
        if former.isSame(as: new) { return nil }
        if isServerOnly {
            // A new document has the default, which the owner did not choose.
            let isDefault = former == .null && defaultValue?.isSame(as: new) == true
            return isDefault ? nil : .serverOnly
        }
        return former == .null ? nil : .readOnly
    }

    /// What is wrong with its value, nil or `null` for a field without one.
    func violations(of value: JSONValue?, _ voice: Voice) -> [ServiceError.Violation] {
        guard let value, value != .null else {
            return isRequired ? [violation(.required, voice)] : []
        }
        return self.value.violations(of: value).map { violation in
            ServiceError.Violation(
                field: name + violation.place, rule: violation.rule.rawValue,
                sentence: (violation.reason ?? reason)?.text(in: voice))
        }
    }

    /// A violation of the whole field, with the operator's reason.
    func violation(_ rule: DocumentViolation, _ voice: Voice) -> ServiceError.Violation {
        ServiceError.Violation(
            field: name, rule: rule.rawValue, sentence: reason?.text(in: voice))
    }
}

extension [FieldRule] {
    /// An object with the defaults of its absent fields, also of objects in it.
    /// - Parameter kept: Values for absent fields that take precedence over defaults.
    func filled(_ object: JSONObject, keeping kept: [String: JSONValue]) -> JSONObject {
        var members = object.members.map { member in
            guard let field = first(where: { $0.name == member.name }) else { return member }
            let value = member.value == .null ? kept[member.name] ?? .null : member.value
            return JSONObject.Member(name: member.name, value: field.filled(value))
        }
        let names = Set(members.map(\.name))
        for field in self where !names.contains(field.name) {
            guard let value = kept[field.name] ?? field.defaultValue else { continue }
            members.append(JSONObject.Member(name: field.name, value: value))
        }
        return JSONObject(unique: members)
    }

    /// Violations for the fields of an object that these rules do not declare.
    func unknownFields(in object: JSONObject) -> [ServiceError.Violation] {
        undeclaredNames(in: object).map {
            ServiceError.Violation(field: $0, rule: DocumentViolation.unknownField.rawValue)
        }
    }

    /// The names of an object's members that these rules do not declare.
    func undeclaredNames(in object: JSONObject) -> [String] {
        let names = Set(map(\.name))
        return object.members.map(\.name).filter { !names.contains($0) }
    }

    /// The fields of an object that have a declared name in another spelling: to Swift, U+212A
    /// (KELVIN SIGN) is a K.
    ///
    /// Attack: the owner replaces the field `KYC`, which only the server may write, by a field of
    /// that spelling with the same value. The rules find the field; the backend does not.
    func respelled(in object: JSONObject) -> [String] {
        // Declared names are ASCII.
        object.members.map(\.name).filter { name in
            !name.utf8.allSatisfy { $0 < 0x80 } && contains { $0.name == name }
        }
    }
}

extension FieldRule {
    /// A value of this field with defaults: the field's for `null`, and those inside an object.
    fileprivate func filled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null: defaultValue ?? .null
        case .object(let object): .object(self.value.fields.filled(object, keeping: [:]))
        default: value
        }
    }
}

/// Why the app needs a field, in the operator's words.
package struct FieldReason: Hashable, Sendable {
    /// The text by language, at least one; in English where the operator names no language.
    package let texts: [Voice: String]

    /// The text in `voice`, otherwise in the same language's other voice, otherwise in English or
    /// whatever language there is.
    func text(in voice: Voice) -> String {
        texts[voice] ?? texts[Voice(voice.language)] ?? texts[.english]
            ?? Voice.allCases.lazy.compactMap { texts[$0] }.first ?? ""
    }
}
