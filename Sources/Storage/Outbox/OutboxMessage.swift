package import ServiceRuntime

/// Something another service must hear, written in the transaction that makes it true and handed
/// over afterwards, at least once.
package struct OutboxMessage: Hashable, Sendable {
    /// What it is about, in the program's own words (`session.end-account`); nothing personal.
    package let topic: String
    /// The idempotency key by which its receiver knows it again.
    package let key: String
    /// What the receiver needs; sealed by the service where it is personal.
    package let payload: [UInt8]
    /// Not to be handed over before this moment.
    package let notBefore: Timestamp?
    /// Messages of one topic and lane (an account's key, say) are handed over one after the other,
    /// in the order they were written, each once the one before it is done; nil waits for none.
    package let lane: Int64?
    /// Whose slots of the relay it uses.
    package let queue: OutboxQueue

    /// A message for the receivers of `topic`.
    package init(
        topic: String, key: String, payload: [UInt8], notBefore: Timestamp? = nil,
        lane: Int64? = nil, queue: OutboxQueue = .standard
    ) {
        self.topic = topic
        self.key = key
        self.payload = payload
        self.notBefore = notBefore
        self.lane = lane
        self.queue = queue
    }
}

/// Messages that share slots of the relay. Each queue is read by itself and has slots of its own, so
/// that a receiver that hangs, or thousands of messages that wait for it, delay no other queue.
package struct OutboxQueue: Hashable, Sendable {
    /// What the store knows it by. It never changes; a queue that the program does not know waits
    /// for a program that does.
    package let number: Int64
    /// Messages on their way at once: enough to hide a peer's commit, few enough not to flood it.
    package let deliveriesMax: Int

    /// Everything that may wait for everything else. Rows from before there were queues are in it.
    package static let standard = OutboxQueue(number: 0, deliveriesMax: 16)

    /// The queue with this number, which is above 0.
    package init(number: Int64, deliveriesMax: Int) {
        self.number = number
        self.deliveriesMax = deliveriesMax
    }
}
