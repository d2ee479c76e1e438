import IdentityService
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension DocumentsHandler {
    /// Returns the operator's rules of a collection (G-35), one page at a time, so that a screen can
    /// check what a person enters. Each write is checked all the same.
    func getDocumentRules(
        _ request: GatewayV1.GetDocumentRulesRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetDocumentRulesResponse {
        guard DocumentKey.isCollection(request.collection) else {
            throw ServiceError(.invalidArgument, fields: ["collection"])
        }
        let first =
            try PageToken.place(request.pageToken, parts: 1) {
                Int($0[0]).flatMap { $0 > 0 ? $0 : nil }
            } ?? 0
        _ = try await store.read { [self] session in try owner(call, in: session) }
        guard let described = rules.value.described(request.collection, in: call.voice) else {
            throw ServiceError(.notFound, fields: ["collection"])
        }
        let (fields, next) = DescribedRules.page(described.fields, from: first)
        return GatewayV1.GetDocumentRulesResponse(
            need: described.need.message, otherFields: described.allowsOtherFields, fields: fields,
            nextPageToken: next.map { PageToken.text("\($0)") } ?? "")
    }
}

/// The rules of a collection as an app gets them: a list, since a message cannot hold itself. A field
/// has its path as its name, as in violations.
struct DescribedRules: Hashable, Sendable {
    /// Rules of one page, in bytes, so that a page fits a public frame (128 KiB).
    static let bytesMax = 96 * 1_024
    /// The longest choices, and the longest default, of a field, in bytes of JSON: so one field fits
    /// a page. Longer ones are left out, and the server alone checks them.
    static let valuesBytesMax = 32 * 1_024

    /// What an account needs to write.
    let need: AccountNeed
    /// Documents may have other fields.
    let allowsOtherFields: Bool
    /// All fields, each followed by those inside it.
    let fields: [GatewayV1.FieldRule]

    /// The fields of the page that begins at an index, and the index of the next page; nil on the
    /// last one.
    static func page(
        _ fields: [GatewayV1.FieldRule], from first: Int
    ) -> (fields: [GatewayV1.FieldRule], next: Int?) {
        let rest = fields.dropFirst(first)
        var sum = 0
        let fitting = rest.prefix { field in
            sum += field.encoded().count
            return sum <= bytesMax
        }
        return (Array(fitting), fitting.count < rest.count ? first + fitting.count : nil)
    }
}

extension DocumentRules {
    /// The rules of a collection; nil for one that does not exist. That of the drafts has the fields
    /// of all sections.
    /// - Parameter voice: The language of the operator's reasons.
    func described(_ name: String, in voice: Voice) -> DescribedRules? {
        guard let rules = collection(name) else { return nil }
        guard name == Self.onboardingName else {
            return DescribedRules(
                need: rules.need, allowsOtherFields: rules.allowsOtherFields,
                fields: rules.fields.flatMap { $0.described(in: voice) })
        }
        let sections = onboarding?.sections ?? []
        return DescribedRules(
            need: rules.need, allowsOtherFields: false,
            fields: sections.flatMap { section in
                section.fields.flatMap {
                    $0.rule.described(after: "\(section.name).", in: voice)
                }
            })
    }
}

extension FieldRule {
    /// The rules of the field, followed by those inside it.
    /// - Parameter prefix: What comes before its name in a violation: `address.`
    fileprivate func described(
        after prefix: String = "", in voice: Voice
    ) -> [GatewayV1.FieldRule] {
        let path = prefix + name
        var rules = value.described(at: path, in: voice)
        // The first one is that of the field itself.
        rules[0].required = isRequired
        rules[0].defaultJson = defaultValue.map { ValueRule.limited($0) } ?? ""
        rules[0].readOnly = isReadOnly
        rules[0].serverOnly = isServerOnly
        rules[0].displayName = isDisplayName
        rules[0].reason = reason?.text(in: voice) ?? ""
        return rules
    }
}

extension ValueRule {
    /// The rules of a value, followed by those of its items and fields; at least one.
    /// - Parameter path: Its name in a violation, with `[]` for the place of an item.
    fileprivate func described(at path: String, in voice: Voice) -> [GatewayV1.FieldRule] {
        let own = GatewayV1.FieldRule(
            field: path, type: type.message,
            minimumJson: range.map { Self.bound($0.lowerBound) } ?? "",
            maximumJson: range.map { Self.bound($0.upperBound) } ?? "",
            length: length.map {
                GatewayV1.LengthRange(
                    minimum: UInt32(clamping: $0.lowerBound),
                    maximum: UInt32(clamping: $0.upperBound))
            }, pattern: pattern?.text ?? "", choicesJson: describedChoices,
            otherFields: type == .object && allowsOtherFields)
        return [own] + items.flatMap { $0.described(at: "\(path)[]", in: voice) }
            + fields.flatMap { $0.described(after: "\(path).", in: voice) }
    }

    /// A bound as JSON; empty for an infinite one, which is none.
    private static func bound(_ bound: Double) -> String {
        guard bound.isFinite else { return "" }
        let value = Int64(exactly: bound).map { JSONValue.integer($0) } ?? .real(bound)
        return JSONWriter.text(value, .required)
    }

    private var describedChoices: [String] {
        let choices = choices.map { JSONWriter.text($0, .required) }
        let bytes = choices.reduce(0) { $0 + $1.utf8.count }
        return bytes <= DescribedRules.valuesBytesMax ? choices : []
    }

    /// A value as JSON; empty for one that is too long.
    fileprivate static func limited(_ value: JSONValue) -> String {
        let text = JSONWriter.text(value, .required)
        return text.utf8.count <= DescribedRules.valuesBytesMax ? text : ""
    }
}

extension FieldType {
    /// The type in a message.
    fileprivate var message: GatewayV1.FieldType {
        switch self {
        case .text: .text
        case .integer: .integer
        case .number: .number
        case .boolean: .boolean
        case .list: .list
        case .object: .object
        case .date: .date
        case .time: .time
        }
    }
}

extension AccountNeed {
    /// The need in a message.
    fileprivate var message: GatewayV1.WriteNeed {
        switch self {
        case .nothing: .nothing
        case .account: .account
        case .verified: .verified
        case .consent: .consent
        }
    }
}
