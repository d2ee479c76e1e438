/// Whether a peer that is behind with its reading still reads. One that takes a byte now and then
/// to keep its place would hold up to 16 MiB of answers for as long as it likes.
struct OutboundProgress {
    /// What a peer must take in `FrameLimits.outboundPatience`, in bytes: 6.5 kB/s is slower than
    /// any line that carries answers within their deadlines.
    static let bytesMin = 64 * 1024

    /// Bytes given to the socket's queue so far; wraps.
    private var handed = 0
    private var takenBefore = 0

    /// So many bytes were queued for the peer.
    mutating func wrote(_ count: Int) { handed &+= count }

    /// The peer is behind, with so many bytes pending: from here on it is measured.
    mutating func began(pending: Int) { takenBefore = handed &- pending }

    /// The patience is over: whether the peer has earned more of it.
    mutating func look(pending: Int) -> Bool {
        let taken = handed &- pending
        defer { takenBefore = taken }
        return taken &- takenBefore >= Self.bytesMin
    }
}
