/// A call machine as its connection's streams see it: the same on either side.
package protocol StreamMachine {
    /// Who is told about a call.
    associatedtype Handle

    /// An Item came, with an item in it or not, and perhaps the peer's last. A call that is to be
    /// refused is over.
    mutating func item(_ call: UInt64, isItem: Bool, isEnd: Bool) -> StreamInstruction<Handle>

    /// A Credit came.
    mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle>

    /// Our side ends a running call.
    /// - Returns: whom to tell.
    mutating func giveUp(_ call: UInt64) -> Handle?
}
