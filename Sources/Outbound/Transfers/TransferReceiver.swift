/// Who takes what comes in on a transfer; called on the curl thread, and must not block it.
protocol TransferReceiver: AnyObject, Sendable {
    /// A line of an answer's head, as it came.
    /// - Returns: false to end the transfer.
    func take(headLine line: UnsafeRawBufferPointer) -> Bool

    /// The next part of an answer's content.
    /// - Returns: false to end the transfer.
    func take(content part: UnsafeRawBufferPointer) -> Bool
}
