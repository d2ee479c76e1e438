import ServiceRuntime
import Storage

/// A message that has not ended, as a worker reads it.
struct StoredMessage: Sendable {
    /// The columns that `init` reads, in order.
    static let columns = """
        id, state, attempts, accepted_at_ms, expires_at_ms, due_at_ms, renewed_at_ms, channel, \
        lane, is_warning, recipient_hash, content, unanswered
        """

    let id: MessageID
    let channel: Channel
    let lane: Lane
    var delivery: Delivery
    /// The keyed hash of the recipient.
    let recipient: [UInt8]
    /// The sealed order.
    let content: [UInt8]

    init(_ row: SQLRow) throws {
        id = try row.messageID(0)
        delivery = Delivery(
            state: try DeliveryState(code: row.integer(1), dueAt: row.timestamp(5)),
            attempts: Int(clamping: try row.integer(2)), acceptedAt: try row.timestamp(3),
            expiresAt: try row.optionalTimestamp(4), renewedAt: try row.optionalTimestamp(6),
            unanswered: Int(clamping: try row.integer(12)))
        channel = try row.channel(7)
        lane = try row.lane(8)
        recipient = try row.blob(10)
        content = try row.blob(11)
    }

    /// The same message with another delivery state.
    func with(_ delivery: Delivery) -> StoredMessage {
        var message = self
        message.delivery = delivery
        return message
    }
}

extension DeliveryState {
    /// The state's number in the store.
    var code: Int64 {
        switch self {
        case .queued: 0
        case .sending: 1
        case .waiting: 2
        case .sent: 3
        case .dead: 4
        }
    }

    /// The state of a message that has not ended.
    init(code: Int64, dueAt: Timestamp) throws {
        switch code {
        case 0: self = .queued
        case 1: self = .sending(until: dueAt)
        case 2: self = .waiting(until: dueAt)
        default:
            throw SQLError(.unexpectedValue, detail: "message.state of a due message is \(code)")
        }
    }
}

extension SQLRow {
    /// The message's id in `column`.
    func messageID(_ column: Int) throws -> MessageID {
        guard let id = MessageID(key: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "message.id is not positive")
        }
        return id
    }

    /// The channel in `column`.
    func channel(_ column: Int) throws -> Channel {
        guard let channel = Channel(rawValue: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "message.channel is from a newer program")
        }
        return channel
    }

    /// The lane in `column`, `lane`, and the one after it, `is_warning`.
    func lane(_ column: Int) throws -> Lane {
        let isWarning = try boolean(column + 1)
        guard let lane = Lane(number: try integer(column), isWarning: isWarning) else {
            throw SQLError(.unexpectedValue, detail: "message.lane is from a newer program")
        }
        return lane
    }
}
