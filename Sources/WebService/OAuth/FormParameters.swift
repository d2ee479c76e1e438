import HTTPTypes
import NIOCore

/// The parameters of a request whose media type is `application/x-www-form-urlencoded`.
struct FormParameters: Hashable, Sendable {
    private static let mediaType = "application/x-www-form-urlencoded"
    /// Ours have up to five.
    private static let countMax = 32
    /// What can be wrong with a body that is refused, for a developer.
    static let malformed =
        "a parameter appears twice or has no name, an escape is not % and two hexadecimal digits, "
        + "a text is not UTF-8 or has a NUL, or there are more than \(countMax) parameters"

    private let values: [String: String]

    /// A request is refused.
    struct Refusal: Error {
        /// The reason in English, for a developer.
        let reason: String
    }

    /// The parameters in the body of a request with these header fields.
    static func read(_ fields: HTTPFields, _ body: ByteBuffer) -> Result<FormParameters, Refusal> {
        guard fields[.contentType]?.prefix(while: { $0 != ";" }).lowercased() == mediaType else {
            return .failure(Refusal(reason: "the content-type must be \(mediaType)"))
        }
        guard let parameters = FormParameters(body.readableBytesView) else {
            return .failure(Refusal(reason: malformed))
        }
        return .success(parameters)
    }

    /// Parses a body. Nil when it is malformed, and when a parameter appears twice: RFC 6749 §3.2
    /// forbids it, since two readers could use different ones.
    init?(_ body: some Collection<UInt8>) {
        var values: [String: String] = [:]
        let parts = body.split(separator: UInt8(ascii: "&"))
        guard parts.count <= Self.countMax else { return nil }
        for part in parts {
            let pair = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), !name.isEmpty,
                let value = pair.count == 2 ? Self.decoded(pair[1]) : "",
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.values = values
    }

    /// The value of a parameter. An empty one counts as absent (RFC 6749 §3.2).
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text of a name or value; nil for a bad escape, a NUL and text that is not UTF-8.
    private static func decoded(_ bytes: some Sequence<UInt8>) -> String? {
        guard let decoded = self.bytes(bytes), !decoded.contains(0) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Decodes `+` and percent-encoded bytes, also of a URL's query; nil for a bad escape.
    static func bytes(_ encoded: some Sequence<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = Array(encoded)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit),
                    let low = rest.popFirst().flatMap(hexDigit)
                else { return nil }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
