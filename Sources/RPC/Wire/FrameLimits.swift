/// Sizes and times that apply to every connection (Protos/README.md, "Frame" and "Connection").
package enum FrameLimits {
    /// Version of the protocol that this runtime speaks.
    package static let version: UInt32 = 1
    /// Bytes of the length prefix of each frame.
    package static let lengthBytes = 4
    /// Largest frame before the Hello, in bytes: an unauthenticated peer needs no more.
    package static let frameBytesBeforeHello = 4 * 1024
    /// Default size limit of a frame after the Hello, in bytes.
    package static let frameBytesDefault = 128 * 1024
    /// The same between our own programs: a request that fills the frame of the gateway's caller must
    /// fit into the next one, with the metadata that the gateway writes.
    package static let frameBytesBetweenPrograms = frameBytesDefault + 4 * 1024
    /// Largest frame that can be configured, in bytes.
    package static let frameBytesMax = 1024 * 1024
    /// Metadata of one call, keys and values together, in bytes.
    package static let metadataBytesMax = 8 * 1024
    /// Entries of one call's metadata. Without this limit a caller could send any number of empty
    /// ones.
    package static let metadataEntriesMax = 64
    /// Frames of unknown kinds that a connection may skip: enough for a newer peer, too few to
    /// waste the reader's time.
    package static let unknownFramesMax = 64
    /// Calls in flight on one connection, unless the server's Hello admits more.
    package static let callsMax = 1024
    /// What Postern's programs admit: one connection carries the calls of all users who come
    /// through the web service or the gateway. How many of them run is limited by the lanes.
    package static let servedCallsMax = 16 * 1024
    /// Bytes of the server's challenge.
    package static let challengeBytes = 32
    /// How long a client may take to send its Hello.
    package static let helloTimeout = Duration.seconds(5)
    /// How long a partial frame may take to complete.
    package static let partialFrameTimeout = Duration.seconds(10)
    /// How long a peer may go without reading any byte of the pending output.
    package static let outboundTimeout = Duration.seconds(10)
    /// At this many pending outbound bytes the side stops reading from the peer.
    package static let outboundPauseBytes = 1024 * 1024
    /// At this many pending outbound bytes the connection is closed.
    package static let outboundDropBytes = 16 * 1024 * 1024
    /// How long incoming bytes are discarded after the final GoAway of a connection, so that the
    /// peer can read it: closing a socket with unread bytes sends a reset, which overtakes the
    /// GoAway.
    package static let lingerTimeout = Duration.seconds(1)
    /// How many bytes are discarded in that time.
    package static let lingerBytes = 1024 * 1024
    /// Shortest allowed time between two pings of a peer.
    package static let keepaliveFloor = Duration.seconds(10)
    /// Idle time after which a side sends a ping. It detects a peer that vanished without closing,
    /// and frees its connection.
    package static let keepaliveIdle = Duration.seconds(30)
    /// Timeout for the answer to a ping.
    package static let pongTimeout = Duration.seconds(20)
    /// Number of consecutive pings that may come too early: clocks and networks jitter.
    package static let earlyPingsMax = 2
    /// Part of a caller's timeout that the server reserves for sending its answer
    /// (`DeadlineMargin`).
    package static let deadlineMargin = Duration.milliseconds(5)
    /// Calls in flight on a connection for which that is enough; the margin grows with more. A busy
    /// machine answers some 5,000 expired calls a second.
    package static let deadlineMarginCalls = 25
    /// The longest margin.
    package static let deadlineMarginMax = Duration.milliseconds(100)
    /// A margin grows to no more than this part of the timeout: a tenth.
    package static let deadlineMarginPart = 10
    /// How long a draining side waits for its running calls.
    package static let drainGrace = Duration.seconds(8)
    /// The same on a connection that has reached its maximum age: the longest timeout of a method.
    package static let agedGrace = Duration.seconds(24 * 3_600)

    // MARK: Streams

    /// Default number of a stream's items that may arrive before they are consumed. 128 frames of
    /// the default size limit are exactly `inboundItemBytesMax`, so a single stream, however slow
    /// its consumer, never loses its call because of the size of its items. Half of it is still
    /// enough small items for one event loop iteration to amortise its system calls.
    package static let streamCredit: UInt32 = 128
    /// The same where the streams of many people share a connection: 256 KiB of photos or of an
    /// archive. One slow reader then holds a sixty-fourth of `inboundItemBytesMax`.
    package static let sharedStreamCredit: UInt32 = 4
    /// Bytes of items on a connection that have arrived and are not yet consumed. Beyond that, the
    /// call that holds the most ends.
    package static let inboundItemBytesMax = 16 * 1024 * 1024
    /// Bytes that collect for one flush before writers of items wait for the flush: enough to
    /// amortise the system call, few enough not to delay the loop's other connections.
    package static let outboundFlushBytes = 64 * 1024
    /// Items that are decoded at once for their consumer.
    package static let itemBatchMax = 64
    /// Bytes of encoded items after which no more are decoded with them: what a consumer has taken
    /// no longer counts, so a slow one must not take much at once.
    package static let itemBatchBytes = 64 * 1024
    /// Calls of a client that may wait when the server's limit of calls on one connection is
    /// reached.
    package static let waitingCallsMax = 8 * 1024
    /// Call ids that a client uses on one connection before it opens another: far below overflow,
    /// and enough for centuries of calls.
    package static let callIDsMax = UInt64.max / 2
    /// How often a follower of health receives an item, so that it knows how stale its state is.
    package static let watchHeartbeat = Duration.milliseconds(500)
}
