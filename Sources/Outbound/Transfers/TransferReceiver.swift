/// Receives the response of a transfer. Called on the curl thread, which it must not block.
protocol TransferReceiver: AnyObject, Sendable {
    /// Receives one line of a response's head.
    /// - Returns: False to abort the transfer.
    func take(headLine line: UnsafeRawBufferPointer) -> Bool

    /// Receives the next part of a response's body.
    /// - Returns: False to abort the transfer.
    func take(content part: UnsafeRawBufferPointer) -> Bool
}
