/// Every field that a log line may carry. The list is closed so that nothing personal reaches the
/// log by habit: no email address, phone number, client address, token or secret has a name here,
/// and none may be added. To add a field: a case, with what it holds.
package enum LogField: String, CaseIterable, Sendable {
    /// The text id of an account (`acc_…`).
    case account
    /// Which address of our own or of a peer service, as `host:port`; never a caller's.
    case address
    /// The application whose key opened the connection.
    case application
    /// Which try this is, from 1.
    case attempt
    /// Bytes, of a frame, a file or a buffer.
    case bytes
    /// The catalogue's code (`auth/…`, `rpc/…`).
    case code
    /// A connection's number within this process.
    case connection
    /// How many, of whatever the message names.
    case count
    /// What went wrong, for the operator: `ServiceError.detail` or an error's description.
    case detail
    /// A file or folder of the operator's.
    case file
    /// The id of a signing, sealing or application key, never the key.
    case key
    /// The limit that was reached, by its name in the settings or in the limits' table.
    case limit
    /// The text id of a message to be delivered (`msg_…`).
    case messageID = "message_id"
    /// The full name of an rpc (`postern.session.v1.Sessions/Refresh`).
    case method
    /// How long it took or will take, in milliseconds.
    case milliseconds
    /// A migration's number.
    case migration
    /// A part whose readiness changed (`store`, `keys`), or a name of the same rank.
    case part
    /// The peer service (`postern.session`).
    case peer
    /// A port.
    case port
    /// A process id.
    case process
    /// Why, as one of a closed set of words.
    case reason
    /// A row of a table, by its number or text id, where no field above names it.
    case row
    /// The text id of a session (`ses_…`).
    case session
    /// A setting's name.
    case setting
    /// A Unix signal's name.
    case signal
    /// The gRPC status.
    case status
    /// An outbox topic.
    case topic
    /// The W3C trace that a call belongs to.
    case trace
    /// A program's or schema's version.
    case version
}
