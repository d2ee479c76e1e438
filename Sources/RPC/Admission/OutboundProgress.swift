import NIOCore

/// Detects whether a slow peer still reads. A peer that reads a byte now and then to keep its
/// connection could otherwise hold up to 16 MiB of responses indefinitely.
struct OutboundProgress {
    /// What a peer must read within `FrameLimits.outboundTimeout`, in bytes. 6.5 kB/s is slower
    /// than any line that can deliver responses within their deadlines.
    static let bytesMin = 64 * 1024

    /// Bytes passed to the socket's queue so far; wraps.
    private var handed = 0
    private var takenBefore = 0

    /// `count` bytes were queued for the peer.
    mutating func wrote(_ count: Int) { handed &+= count }

    /// The peer has fallen behind with `pending` bytes queued; measuring starts here.
    mutating func began(pending: Int) { takenBefore = handed &- pending }

    /// The timeout has passed: whether the peer has read enough to get another one.
    mutating func look(pending: Int) -> Bool {
        let taken = handed &- pending
        defer { takenBefore = taken }
        return taken &- takenBefore >= Self.bytesMin
    }
}

/// How a server connection handles a peer that reads slowly.
extension ServerConnection {
    /// Bytes that the peer has not yet read.
    var pendingBytes: Int {
        // `try?`: a channel that cannot return this is closing.
        let pending = try? channelContext?.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return pending ?? 0
    }

    /// Extends the timeout of a slow peer that reads as much as required.
    func lookAtProgress() {
        guard let due = watch.outboundDue, due <= eventUptime else { return }
        if progress.look(pending: pendingBytes) {
            watch.outboundDue = eventUptime + FrameLimits.outboundTimeout
        }
    }
}
