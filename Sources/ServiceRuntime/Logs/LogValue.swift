import Logging

/// The value of a field: a text (escaped and truncated when the line is written), a number or a
/// boolean.
package enum LogValue: Hashable, Sendable {
    /// A text, from inside or outside. Any content is safe.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A boolean.
    case claim(Bool)

    /// Bytes that should be text. Invalid UTF-8 is replaced.
    package static func bytes(_ bytes: some Collection<UInt8>) -> LogValue {
        .text(String(decoding: bytes, as: UTF8.self))
    }

    /// A count.
    package static func count(_ count: Int) -> LogValue { .integer(Int64(count)) }

    /// A duration, in whole milliseconds.
    package static func milliseconds(_ duration: Duration) -> LogValue {
        .integer(duration.milliseconds)
    }

    /// An error's own description, for `detail`.
    package static func error(_ error: any Error) -> LogValue { .text(String(describing: error)) }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    /// A text.
    package init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    package init(integerLiteral number: Int64) { self = .integer(number) }
    /// A boolean.
    package init(booleanLiteral claim: Bool) { self = .claim(claim) }
}

extension LogValue: CustomStringConvertible {
    /// The value as text.
    package var description: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .claim(let claim): String(claim)
        }
    }
}

extension LogField {
    /// The fields as swift-log's metadata.
    static func metadata(_ fields: [LogField: LogValue]) -> Logger.Metadata {
        var metadata = Logger.Metadata(minimumCapacity: fields.count)
        for (field, value) in fields { metadata[field.rawValue] = .stringConvertible(value) }
        return metadata
    }
}
