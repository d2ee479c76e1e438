package import ServiceRuntime

/// A message for another service, written in the transaction of the change that it reports and
/// delivered afterwards, at least once.
package struct OutboxMessage: Hashable, Sendable {
    /// The kind of message, for example `end-account`; nothing personal.
    package let topic: String
    /// The idempotency key by which the receiver recognises a redelivery.
    package let key: String
    /// What the receiver needs; sealed by the service where it is personal.
    package let payload: [UInt8]
    /// Not delivered before this moment.
    package let notBefore: Timestamp?
    /// For example an account's key: messages of one topic and ordering key are delivered one after
    /// the other, in the order they were written, each after the previous one is done. Messages
    /// without one wait for no other. The column is `lane`.
    package let orderingKey: Int64?
    /// The queue whose delivery slots it uses.
    package let queue: OutboxQueue

    /// A message for the receivers of `topic`.
    package init(
        topic: String, key: String, payload: [UInt8], notBefore: Timestamp? = nil,
        orderingKey: Int64? = nil, queue: OutboxQueue = .standard
    ) {
        self.topic = topic
        self.key = key
        self.payload = payload
        self.notBefore = notBefore
        self.orderingKey = orderingKey
        self.queue = queue
    }
}

/// Messages that share delivery slots of the relay. Each queue is read separately and has its own
/// slots, so a receiver that hangs, or thousands of messages that wait for it, delay no other
/// queue.
package struct OutboxQueue: Hashable, Sendable {
    /// Identifies the queue in the store and never changes. Messages in a queue that the program
    /// does not know wait for a version that knows it.
    package let number: Int64
    /// Concurrent deliveries: enough to hide a peer's commit, few enough not to flood it.
    package let deliveriesMax: Int

    /// The default queue, for messages that may wait for each other. Rows from before queues
    /// existed are in it.
    package static let standard = OutboxQueue(number: 0, deliveriesMax: 16)

    /// The queue with this number, which is above 0.
    package init(number: Int64, deliveriesMax: Int) {
        self.number = number
        self.deliveriesMax = deliveriesMax
    }
}
