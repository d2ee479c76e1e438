import Messages
import ServiceRuntime

/// The validation of fields that requests for mails, text messages and push messages share.
enum RequestFields {
    /// Variables in a request, including unknown ones.
    private static let variablesMax = 32
    /// 35 characters suffice for BCP 47 (RFC 5646, 4.4.1).
    private static let languageBytesMax = 35

    /// A template's lane, after its variables are validated.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    static func lane(
        _ template: String, _ variables: [OrderPair], on channel: Channel,
        _ wording: CatalogueWording
    ) throws(ServiceError) -> Lane {
        guard let lane = wording.lane(of: template, on: channel) else {
            throw ServiceError(.invalidArgument, fields: ["template"], detail: "unknown template")
        }
        if let name = wording.mistake(in: variables, for: template) {
            throw ServiceError(
                .invalidArgument, fields: ["variables.\(name)"],
                detail: "a variable is missing or invalid")
        }
        return lane
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

    static func language(_ tag: String) throws(ServiceError) -> String {
        let isLanguage =
            tag.utf8.count <= languageBytesMax
            && tag.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
        guard isLanguage else { throw ServiceError(.invalidArgument, fields: ["language"]) }
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

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
