import HTTPTypes
import NIOCore
import ServiceRuntime

/// An HTTP/2 connection (RFC 9113): passes its bytes to the `HTTP2Session` and back, keeps its
/// streams, and limits what a client may cost. Requests start when the bytes that arrived together
/// are read, and what they answer at once is sent together.
final class HTTP2Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    let connection: WebConnection
    private(set) var session: HTTP2Session?
    private var channelContext: ChannelHandlerContext?
    private var streams: [Int32: HTTP2Stream] = [:]
    /// The streams that the bytes which are being read have opened.
    private var opened: [HTTP2Stream] = []
    private var isReading = false
    private var isFlushScheduled = false

    private var controlFrames: FrameBudget
    /// Streams that the client has reset, and those that it made this server reset.
    private var resets: FrameBudget
    private var causedResets: FrameBudget
    private var isDraining = false
    /// The client knows that it may open no more streams.
    private var isDrainAnswered = false
    private var hasReceived = true
    private var lastReceived = Duration.zero
    private var pingDue: Duration?

    private init(_ connection: WebConnection) {
        self.connection = connection
        controlFrames = FrameBudget(connection.shared.limits.controlFramesMax)
        resets = FrameBudget(connection.shared.limits.resetsMax)
        causedResets = resets
    }

    /// Adds the handler of HTTP/2 to a connection that is open already.
    /// - Throws: a pipeline error when the channel is closing; `HTTP2Session.Unavailable`.
    static func addHandlers(to channel: any Channel, _ connection: WebConnection) throws {
        let http2 = HTTP2Connection(connection)
        http2.session = try HTTP2Session(calling: http2, connection.shared.limits)
        try channel.pipeline.syncOperations.addHandler(http2)
        connection.http2 = http2
        http2.sendAll()
    }

    func handlerAdded(context: ChannelHandlerContext) { channelContext = context }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        channelContext = nil
        let open = streams.values
        streams = [:]
        for stream in open { stream.closed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let session, !connection.isClosing else { return }
        hasReceived = true
        isReading = true
        let input = unwrapInboundIn(data)
        let isValid = input.withUnsafeReadableBytes { session.receive($0) }
        // A password may be in them, and nghttp2 has read all of them.
        input.wipe()
        let opened = opened
        self.opened.removeAll(keepingCapacity: true)
        // Attack: a client that causes answers and does not read them.
        guard isValid, session.waitingFrames <= connection.shared.limits.waitingFramesMax else {
            connection.loop.figures.refused(.malformed)
            return connection.close()
        }
        for stream in opened { stream.start() }
        isReading = false
        if isDrainAnswered {
            isDrainAnswered = false
            session.submitGoAway()
        }
        sendAll()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { sendAll() }
        context.fireChannelWritabilityChanged()
    }

    /// Sends what was submitted, together with what else is submitted in this turn of the loop.
    func flushSoon() {
        guard !isReading, !isFlushScheduled, let channelContext else { return }
        isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: channelContext.eventLoop)
        channelContext.eventLoop.execute {
            bound.value.isFlushScheduled = false
            bound.value.sendAll()
        }
    }

    /// Sends the submitted frames until the channel is no longer writable.
    private func sendAll() {
        guard let session, let channelContext, !isReading, !connection.isClosing else { return }
        // nghttp2 must not be called from within its own calls.
        isReading = true
        while channelContext.channel.isWritable {
            var bytes = channelContext.channel.allocator.buffer(capacity: 0)
            while bytes.readableBytes < connection.shared.limits.streamWindowBytes,
                let part = session.nextBytes()
            {
                bytes.writeBytes(part)
            }
            guard bytes.readableBytes > 0 else { break }
            // `isWritable` counts flushed bytes only: the TLS handler buffers the others itself.
            channelContext.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        }
        isReading = false
        if session.isOver { connection.closeOutput(after: ByteBuffer(), channelContext) }
    }

    // MARK: Streams, as the session reports them

    /// An open stream.
    func stream(_ id: Int32) -> HTTP2Stream? { streams[id] }

    func streamOpened(_ id: Int32) {
        guard let channelContext else { return }
        streams[id] = HTTP2Stream(id, on: self, channelContext.eventLoop)
    }

    /// - Returns: whether the request is within its limits. If not, nghttp2 reads no more of it.
    func received(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        isTrailer: Bool, on id: Int32
    ) -> Bool {
        guard let stream = streams[id] else { return false }
        guard stream.add(name, value, isTrailer: isTrailer) else {
            refuse()
            return false
        }
        return true
    }

    func headReceived(on id: Int32) {
        guard let stream = streams[id] else { return }
        guard stream.headReceived() else {
            session?.reset(id, .protocolError)
            return
        }
        session?.takeTurns(id)
        opened.append(stream)
    }

    /// A part of a body, which is valid during the call.
    func received(_ bytes: UnsafeRawBufferPointer, on stream: Int32) {
        session?.received(bytes.count)
        streams[stream]?.received(ByteBuffer(bytes: bytes))
    }

    func requestEnded(on stream: Int32) { streams[stream]?.requestEnded() }

    func responseEnded(on stream: Int32) { streams[stream]?.responseEnded() }

    func streamClosed(_ id: Int32) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        stream.closed()
        if stream.hasRequest { connection.requestAnswered(at: connection.shared.time.uptime()) }
    }

    /// Whether there is a request whose body or response is not yet complete.
    var isBusy: Bool { streams.values.contains(where: \.hasRequest) }

    // MARK: What a client may cost

    /// A frame that asks for an answer, or has no use.
    func controlFrameReceived() {
        if !controlFrames.allows(at: connection.shared.time.uptime()) { refuse() }
    }

    /// Attack: streams that are opened and reset at once (rapid reset, CVE-2023-44487).
    func resetReceived() {
        if !resets.allows(at: connection.shared.time.uptime()) { refuse() }
    }

    /// Attack: streams that the client makes this server reset (CVE-2025-8671).
    func resetSent(_ code: HTTP2ErrorCode) {
        let ours: [HTTP2ErrorCode] = [.noError, .internalError, .cancel, .enhanceYourCalm]
        guard !ours.contains(code), !causedResets.allows(at: connection.shared.time.uptime())
        else { return }
        refuse()
    }

    /// Reads no more from a client that costs too much. The connection ends even if the client
    /// does not read that.
    private func refuse() {
        session?.terminate(.enhanceYourCalm)
        connection.closes(within: connection.shared.limits.goAwayTimeout)
    }

    /// After a GOAWAY the connection must end, even if the client never ends its streams.
    func goAwaySent(_ code: HTTP2ErrorCode) {
        if code != .noError { connection.loop.figures.refused(.malformed) }
        connection.closes(within: connection.shared.limits.goAwayTimeout)
    }

    // MARK: Time

    /// Checks the deadlines; called at each `WebLimits.checkInterval`.
    func check(at now: Duration) {
        for stream in Array(streams.values) { stream.check(at: now) }
        let limits = connection.shared.limits
        if hasReceived {
            hasReceived = false
            lastReceived = now
            pingDue = nil
        } else if let pingDue {
            if pingDue <= now { connection.close() }
        } else if now - lastReceived >= limits.keepaliveInterval {
            pingDue = now + limits.keepaliveTimeout
            session?.ping(PingMark.keepalive)
            sendAll()
        }
    }

    /// The server stops, or the connection is too old. Streams that the client opened before it
    /// knows are answered: it knows when it answers the PING after the notice.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard !isDraining else { return }
        isDraining = true
        session?.submitShutdownNotice()
        sendAll()
    }

    func shutdownNoticeSent() { session?.ping(PingMark.drain) }

    func pingAnswered(_ mark: UInt8) {
        if isDraining, mark == PingMark.drain { isDrainAnswered = true }
    }

    /// What a PING is for.
    private enum PingMark {
        static let keepalive: UInt8 = 1
        static let drain: UInt8 = 2
    }
}
