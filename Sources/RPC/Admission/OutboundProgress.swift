/// Detects whether a slow peer still reads. A peer that reads a byte now and then to keep its
/// connection could otherwise hold up to 16 MiB of responses indefinitely.
struct OutboundProgress {
    /// What a peer must read within `FrameLimits.outboundPatience`, in bytes. 6.5 kB/s is slower
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
