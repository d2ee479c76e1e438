import Cryptography
import JSON

/// The value of a claim in an access token, or a part of one.
public enum ClaimValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case real(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([ClaimValue])
    /// An object.
    case object([String: ClaimValue])

    /// The members of an object's text; none for any other.
    static func members(of text: String) -> [String: ClaimValue] {
        guard !text.isEmpty, let object = TokenClaims.object(in: Array(text.utf8))
        else { return [:] }
        return members(of: object)
    }

    private static func members(of object: JSONObject) -> [String: ClaimValue] {
        Dictionary(
            object.members.map { ($0.name, ClaimValue($0.value)) },
            uniquingKeysWith: { first, _ in first })
    }

    private init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .boolean(let truth): .boolean(truth)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            // Only readers that retain texts have it.
            case .number(let text): Double(text).map { .real($0) } ?? .null
            case .string(let text): .string(text)
            case .array(let values): .array(values.map { ClaimValue($0) })
            case .object(let object): .object(Self.members(of: object))
            }
    }
}
