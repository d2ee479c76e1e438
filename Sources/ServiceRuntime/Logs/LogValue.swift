import Logging

/// What a field may hold: a text (escaped and cut when the line is written), or a number or claim
/// that stands in the line as JSON's own.
package enum LogValue: Hashable, Sendable {
    /// A text, from inside or outside; any bytes are safe in it.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A claim.
    case claim(Bool)

    /// Bytes that should be text; what is not UTF-8 is replaced.
    package static func bytes(_ bytes: some Collection<UInt8>) -> LogValue {
        .text(String(decoding: bytes, as: UTF8.self))
    }

    /// How many.
    package static func count(_ count: Int) -> LogValue { .integer(Int64(count)) }

    /// A duration, in whole milliseconds.
    package static func milliseconds(_ duration: Duration) -> LogValue {
        .integer(duration.milliseconds)
    }

    /// An error, as it describes itself; for `detail`.
    package static func error(_ error: any Error) -> LogValue { .text(String(describing: error)) }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    /// A text.
    package init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    package init(integerLiteral number: Int64) { self = .integer(number) }
    /// A claim.
    package init(booleanLiteral claim: Bool) { self = .claim(claim) }
}

extension LogValue: CustomStringConvertible {
    /// As it would be read.
    package var description: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .claim(let claim): String(claim)
        }
    }
}

extension LogField {
    /// The fields as swift-log carries them.
    static func metadata(_ fields: [LogField: LogValue]) -> Logger.Metadata {
        var metadata = Logger.Metadata(minimumCapacity: fields.count)
        for (field, value) in fields { metadata[field.rawValue] = .stringConvertible(value) }
        return metadata
    }
}
