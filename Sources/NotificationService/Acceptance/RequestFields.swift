import Contracts
import Messages
import ServiceRuntime

/// The validation of fields that requests for mails, text messages and push messages share.
enum RequestFields {
    /// Variables in a request, including unknown ones.
    private static let variablesMax = 32

    /// A template by its name.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with `template`.
    static func template<Template: MessageTemplate>(
        _ name: String
    ) throws(ServiceError) -> Template {
        guard let template = Template(rawValue: name) else {
            throw ServiceError(.invalidArgument, fields: ["template"], detail: "unknown template")
        }
        return template
    }

    /// The values of a template's variables. Others are ignored, so that a newer caller may send
    /// more.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the variable that is missing or
    ///   invalid.
    @discardableResult
    static func values(
        _ pairs: [OrderPair], for template: some MessageTemplate
    ) throws(ServiceError) -> [TemplateVariable: String] {
        var values: [TemplateVariable: String] = [:]
        for variable in template.variables {
            let given =
                pairs.first { $0.name == variable.rawValue }?.value ?? variable.defaultValue
            guard let given,
                variable.allows(given) || (given.isEmpty && template.mayLack(variable))
            else {
                throw ServiceError(
                    .invalidArgument, fields: ["variables.\(variable.rawValue)"],
                    detail: given == nil ? "a variable is missing" : "a value is invalid")
            }
            values[variable] = given
        }
        return values
    }

    /// Names and values. Each name must occur once.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with `field`.
    static func pairs(
        _ variables: [NotificationV1.Variable], _ field: String
    ) throws(ServiceError) -> [OrderPair] {
        guard variables.count <= variablesMax,
            Set(variables.map(\.name)).count == variables.count
        else {
            throw ServiceError(.invalidArgument, fields: [field], detail: "too many, or duplicates")
        }
        return variables.map { OrderPair(name: $0.name, value: $0.value) }
    }

    /// A language tag; empty for the operator's default.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with `language`.
    static func language(_ tag: String) throws(ServiceError) -> String {
        guard tag.isEmpty || LanguageTag.isValid(tag) else {
            throw ServiceError(.invalidArgument, fields: ["language"])
        }
        return tag
    }

    static func moment(_ milliseconds: Int64) throws(ServiceError) -> Timestamp? {
        guard milliseconds >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["expires_at_ms"])
        }
        return milliseconds == 0 ? nil : Timestamp(milliseconds: milliseconds)
    }

    /// The account of a required field.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with `account_id`.
    static func account(_ text: String) throws(ServiceError) -> AccountID {
        guard let account = AccountID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        return account
    }
}
