import NIOCore

/// What a server connection does about a peer that is behind with its reading.
extension ServerConnection {
    /// Bytes that the peer has yet to take.
    var pendingBytes: Int {
        // `try?`: a channel that cannot say is one that is closing.
        let pending = try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return pending ?? 0
    }

    /// A peer that is behind but takes what it can has its patience anew.
    func lookAtProgress() {
        guard let due = watch.outboundDue, due <= turnUptime else { return }
        if progress.look(pending: pendingBytes) {
            watch.outboundDue = turnUptime + FrameLimits.outboundPatience
        }
    }
}
