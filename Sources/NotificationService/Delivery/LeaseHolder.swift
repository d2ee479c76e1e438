/// The process that holds a message's lease. Of several processes on one store each has its own
/// value, so that none frees a message that another one is sending, or records its outcome.
package struct LeaseHolder: Hashable, Sendable {
    /// The process of an embedded store, whose lock admits one at a time. It is the same after a
    /// restart: every lease of this holder is from a process that has ended, and a start releases
    /// it at once. If each start had a new value, the messages of a killed process, among them
    /// codes, would wait until their leases end (`Delivery.lease`).
    package static let onlyProcess = LeaseHolder(key: 0)

    /// The value in `message.holder`.
    let key: Int64

    /// The holder with this value. Each process of a shared store needs its own, other than 0.
    init(key: Int64) {
        self.key = key
    }
}
