/// What a handler knows of the call it serves, and what a client says beside a request. The same
/// value serves both ends: a flow hands the context it was given to the calls it makes, and with
/// it what is left of the caller's time.
package struct CallContext: Sendable {
    /// The caller, proved by its Hello; empty on a call that starts here.
    package let application: String
    /// When the call is over, on the uptime clock of this program.
    package let deadline: Duration
    /// What travels beside the call.
    package var metadata: Metadata
    /// Whether the caller may assert its user's address.
    package let mayAssertClientAddress: Bool
    /// Whether a caller of this program set the deadline. Where it passes, that says nothing of the
    /// services that this program calls. (Beside the other flag: a context lies in the frames of
    /// every waiting call.)
    package let isCallersDeadline: Bool

    /// A call that starts here and ends at `deadline` on this program's uptime clock.
    package init(
        application: String = "", deadline: Duration, isCallersDeadline: Bool = false,
        metadata: Metadata = Metadata(), mayAssertClientAddress: Bool = false
    ) {
        self.application = application
        self.deadline = deadline
        self.isCallersDeadline = isCallersDeadline
        self.metadata = metadata
        self.mayAssertClientAddress = mayAssertClientAddress
    }

    /// Makes a retry harmless; 1 to 255 bytes (G-25).
    package var idempotencyKey: String? { metadata[Metadata.Key.idempotencyKey] }

    /// The person's address, if the caller may assert one and did. Nobody else's word counts, or
    /// an attacker would choose the subject of every limit.
    package var clientAddress: String? {
        mayAssertClientAddress ? metadata[Metadata.Key.clientAddress] : nil
    }

    /// The context of a call made on behalf of this one: same deadline and trace, nothing else.
    package func onward(idempotencyKey: String? = nil) -> CallContext {
        var onward = Metadata()
        onward[Metadata.Key.traceparent] = metadata[Metadata.Key.traceparent]
        onward[Metadata.Key.idempotencyKey] = idempotencyKey
        return CallContext(
            deadline: deadline, isCallersDeadline: isCallersDeadline, metadata: onward)
    }
}
