/// What a connection must do about an Item or a Credit, as its call machine says.
package enum StreamInstruction<Handle> {
    /// The peer broke the protocol: the connection ends.
    case violation
    /// The call has ended, or the frame moves nothing.
    case ignore
    /// Hand it to the call.
    case deliver(Handle?)
    /// The call ends with this: tell it and the peer.
    case refuse(StreamFault, Handle?)
}

/// How a peer misused a stream; it costs it the call.
package enum StreamFault: Hashable, Sendable {
    /// An item beyond the credit.
    case overCredit
    /// An item after the last, or on a call that takes none.
    case afterEnd
}

/// Whether an item may be sent.
package enum Departure: Hashable, Sendable {
    case sent
    /// When the peer has granted more.
    case noCredit
    /// The call is over, or its last item was sent.
    case over
}
