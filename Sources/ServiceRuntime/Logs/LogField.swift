import Logging

/// Every field that a log line may carry. The list is closed so that no personal data reaches the
/// log by accident: there is no field for an email address, phone number, client address, token or
/// secret, and none may be added. To add another field, add a case with a comment on its content.
package enum LogField: String, CaseIterable, Sendable {
    /// The text id of an account (`acc_…`).
    case account
    /// The kind of an activity that an app notes: at most 32 characters of a-z, 0-9 and "-". At
    /// level debug only, since an app chooses it.
    case activity
    /// An address of this program or of a peer service, as `host:port`. Never a caller's.
    case address
    /// The application whose key opened the connection.
    case application
    /// The number of the try, from 1.
    case attempt
    /// A number of bytes, of a frame, a file or a buffer.
    case bytes
    /// The catalogue's code (`auth/…`, `rpc/…`).
    case code
    /// A connection's number within this process.
    case connection
    /// A count of the things that the message names.
    case count
    /// What went wrong, for the operator: `ServiceError.detail` or an error's description.
    case detail
    /// The path of an operator's file or folder.
    case file
    /// The id of a signing, sealing or application key. Never the key.
    case key
    /// The limit that was reached, by its name in the settings or in the limits' table.
    case limit
    /// The text id of a message to be delivered (`msg_…`).
    case messageID = "message_id"
    /// The full name of an rpc (`postern.session.v1.Sessions/CreateSession`).
    case method
    /// A duration, past or planned, in milliseconds.
    case milliseconds
    /// A migration's number.
    case migration
    /// A part whose readiness changed (`store`, `keys`), or a similar name.
    case part
    /// The peer service (`postern.session`).
    case peer
    /// A port.
    case port
    /// A process id.
    case process
    /// The reason, as one of a closed set of words.
    case reason
    /// A row of a table, by its key or text id, where no field above fits.
    case row
    /// The text id of a session (`ses_…`).
    case session
    /// A setting's name.
    case setting
    /// A Unix signal's name.
    case signal
    /// A signed statement about an audit trail: its head. It names no person.
    case statement
    /// The gRPC status.
    case status
    /// An outbox topic.
    case topic
    /// The W3C trace id of the call.
    case trace
    /// The version of a program or schema.
    case version
}

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
