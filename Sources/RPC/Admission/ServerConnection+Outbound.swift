import NIOCore

/// How a server connection handles a peer that reads slowly.
extension ServerConnection {
    /// Bytes that the peer has not yet read.
    var pendingBytes: Int {
        // `try?`: a channel that cannot return this is closing.
        let pending = try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return pending ?? 0
    }

    /// Extends the timeout of a slow peer that reads as much as required.
    func lookAtProgress() {
        guard let due = watch.outboundDue, due <= turnUptime else { return }
        if progress.look(pending: pendingBytes) {
            watch.outboundDue = turnUptime + FrameLimits.outboundPatience
        }
    }
}
