import ServiceRuntime
import Storage

/// A message on its way, as a worker reads it.
struct StoredMessage: Sendable {
    let id: MessageID
    let delivery: Delivery
    /// The keyed hash of its recipient.
    let recipient: [UInt8]
    /// The sealed request.
    let content: [UInt8]

    init(_ row: SQLRow) throws {
        id = try row.messageID(0)
        delivery = Delivery(
            state: try DeliveryState(code: row.integer(1), dueAt: row.timestamp(5)),
            attempts: Int(clamping: try row.integer(2)), acceptedAt: try row.timestamp(3),
            expiresAt: try row.optionalTimestamp(4))
        recipient = try row.blob(6)
        content = try row.blob(7)
    }

    private init(
        id: MessageID, delivery: Delivery, recipient: [UInt8], content: [UInt8]
    ) {
        self.id = id
        self.delivery = delivery
        self.recipient = recipient
        self.content = content
    }

    /// The same message, standing elsewhere.
    func with(_ delivery: Delivery) -> StoredMessage {
        StoredMessage(id: id, delivery: delivery, recipient: recipient, content: content)
    }
}

extension DeliveryState {
    /// The number that stands for it in the store.
    var code: Int64 {
        switch self {
        case .queued: 0
        case .sending: 1
        case .waiting: 2
        case .sent: 3
        case .dead: 4
        }
    }

    /// The state of a message that is not at its end.
    fileprivate init(code: Int64, dueAt: Timestamp) throws {
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
}
