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
