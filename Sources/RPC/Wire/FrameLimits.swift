/// Sizes and times that hold for every connection (Protos/README.md, "Frame" and "Connection").
package enum FrameLimits {
    /// Version of the protocol that this runtime speaks.
    package static let version: UInt32 = 1
    /// Bytes of the length that stands before each frame.
    package static let lengthBytes = 4
    /// Largest frame before the Hello, in bytes: a stranger is owed no more.
    package static let frameBytesBeforeHello = 4 * 1024
    /// Largest frame after the Hello unless configured, in bytes.
    package static let frameBytesDefault = 128 * 1024
    /// Largest frame that can be configured, in bytes.
    package static let frameBytesMax = 1024 * 1024
    /// Metadata of one call, keys and values together, in bytes.
    package static let metadataBytesMax = 8 * 1024
    /// Entries of one call's metadata: empty ones would otherwise cost a caller nothing.
    package static let metadataEntriesMax = 64
    /// Frames of unknown kinds that a connection may skip: enough for a newer peer, too few to
    /// keep a reader busy for nothing.
    package static let unknownFramesMax = 64
    /// Calls in flight on one connection.
    package static let callsMax = 1024
    /// Bytes of the server's challenge.
    package static let challengeBytes = 32
    /// How long a client may take to say Hello.
    package static let helloPatience = Duration.seconds(5)
    /// How long a begun frame may take to arrive whole.
    package static let partialFramePatience = Duration.seconds(10)
    /// How long a peer may take no byte of what is waiting for it.
    package static let outboundPatience = Duration.seconds(10)
    /// At this many pending bytes the side stops reading from the peer.
    package static let outboundPauseBytes = 1024 * 1024
    /// At this many pending bytes the peer is dropped.
    package static let outboundDropBytes = 16 * 1024 * 1024
    /// How long bytes are discarded after a GoAway that ends a connection, so that the peer can
    /// read it: closing on unread bytes sends a reset that overtakes the GoAway.
    package static let lingerPatience = Duration.seconds(1)
    /// How many bytes are discarded in that time.
    package static let lingerBytes = 1024 * 1024
    /// Shortest time between two pings of a peer.
    package static let keepaliveFloor = Duration.seconds(10)
    /// Silence after which a side pings: a peer that vanished without a word is noticed, and its
    /// place is free again.
    package static let keepaliveIdle = Duration.seconds(30)
    /// How long the answer to a ping may take.
    package static let pongPatience = Duration.seconds(20)
    /// Pings in a row above the floor that are forgiven: clocks and networks jitter.
    package static let pingStrikesMax = 2
    /// What a server keeps of a caller's time for its own answer.
    package static let deadlineMargin = Duration.milliseconds(5)
    /// How long a draining side waits for its calls.
    package static let drainGrace = Duration.seconds(8)

    // MARK: Streams

    /// Items of a stream that may come ahead of their consumer, unless configured. 128 frames of
    /// the ordinary limit are just `inboundItemBytesMax`, so one stream, however slow its consumer,
    /// never loses its call to the size of its items; and half of it is enough small items for
    /// one turn that the system calls of the turn are spread thin.
    package static let streamCredit: UInt32 = 128
    /// Bytes of items on a connection that have come and are not consumed: the call whose item is
    /// over it ends.
    package static let inboundItemBytesMax = 16 * 1024 * 1024
    /// Bytes that gather for one flush before the writers of items wait for it: enough to make the
    /// system call cheap, too little to keep the loop from its other connections.
    package static let outboundTurnBytes = 64 * 1024
    /// Items that are decoded at once for their consumer.
    package static let itemBatchMax = 64
    /// Calls of a client that wait for a server which has all that it takes on one connection.
    package static let waitingCallsMax = 8 * 1024
    /// Ids that a client uses on one connection before it takes another: far from where adding
    /// one would overflow, and centuries of calls.
    package static let callIDsMax = UInt64.max / 2
    /// How often a follower hears something, so that it knows how stale it is.
    package static let watchHeartbeat = Duration.milliseconds(500)
}
