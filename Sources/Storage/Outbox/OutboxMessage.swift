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

    /// A message for the receivers of `topic`.
    package init(
        topic: String, key: String, payload: [UInt8], notBefore: Timestamp? = nil,
        lane: Int64? = nil
    ) {
        self.topic = topic
        self.key = key
        self.payload = payload
        self.notBefore = notBefore
        self.lane = lane
    }
}
