import Messages
import ServiceRuntime
import Storage

extension NotificationV1.MessageSummary {
    /// The columns of `message` that `init` reads, in order.
    static let columns = """
        id, channel, lane, template, recipient, state, attempts, accepted_at_ms, due_at_ms, \
        expires_at_ms, ended_at_ms, reason, \
        state = 4 AND EXISTS (SELECT 1 FROM dead_letter WHERE dead_letter.id = message.id), \
        is_warning
        """

    /// A row's message as shown at `now`.
    init(_ row: SQLRow, at now: Timestamp) throws {
        let expiresAt = try row.optionalTimestamp(9)
        self.init(
            messageId: try row.messageID(0).text,
            channel: NotificationV1.MessageChannel(
                rawValue: Int32(clamping: try row.integer(1))),
            lane: NotificationV1.MessageLane(
                Lane(number: try row.integer(2), isWarning: try row.boolean(13))),
            template: try row.text(3), recipient: try row.text(4),
            state: NotificationV1.MessageState(
                rawValue: Int32(clamping: try row.integer(5) + 1)),
            attempts: UInt32(clamping: try row.integer(6)),
            acceptedAtMs: try row.integer(7), dueAtMs: try row.optionalInteger(8) ?? 0,
            expiresAtMs: expiresAt?.milliseconds ?? 0,
            endedAtMs: try row.optionalInteger(10) ?? 0, reason: try row.optionalText(11) ?? "",
            canBeRetried: try row.boolean(12) && expiresAt.map { $0 > now } ?? true)
    }
}

extension NotificationV1.MessageLane {
    /// A lane as it is shown; unspecified for one of a newer program.
    fileprivate init(_ lane: Lane?) {
        self =
            switch lane {
            case .requested: .requested
            case .security: .security
            case .notice: .notice
            case .bulk: .bulk
            case nil: .unspecified
            }
    }
}
