/// The part of a call machine that streams use; the same at the client and the server.
package protocol StreamMachine {
    /// What identifies the receiver of a call's events.
    associatedtype Handle

    /// Handles an Item frame, which may carry an item, the end of the peer's items, or both. When
    /// the instruction is to refuse, the call has ended.
    mutating func item(_ call: UInt64, isItem: Bool, isEnd: Bool) -> StreamInstruction<Handle>

    /// Handles a Credit frame.
    mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle>

    /// Ends a running call from our side.
    /// - Returns: the handle to notify.
    mutating func giveUp(_ call: UInt64) -> Handle?
}

/// How a connection must handle an Item or a Credit; decided by its call machine.
package enum StreamInstruction<Handle> {
    /// The peer violated the protocol: close the connection.
    case violation
    /// The call has ended, or the frame has no effect.
    case ignore
    /// Deliver it to the call.
    case deliver(Handle?)
    /// End the call with this fault: notify the call and the peer.
    case refuse(StreamFault, Handle?)
}

/// A peer's misuse of a stream; it ends the call.
package enum StreamFault: Hashable, Sendable {
    /// An item in excess of the credit.
    case overCredit
    /// An item after the end, or on a call that takes none.
    case afterEnd
}

/// The result of trying to send an item.
package enum Departure: Hashable, Sendable {
    case sent
    /// The credit is used up; more must be granted first.
    case noCredit
    /// The call has ended, or its last item was sent.
    case over
}
