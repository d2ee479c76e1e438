import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// One connection of a server. It follows the instructions of `ServerCallMachine` and owns the
/// input and output buffers. Everything runs on the connection's event loop. The responses to the
/// bytes of one read are sent with one flush.
final class ServerConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// What the server requests of its connections, on their event loops.
    enum Event {
        /// Finish the calls and accept no new ones.
        case drain
        /// Check the caller again, because the callers list was replaced.
        case callersChanged
        /// Close, because no Hello has arrived and newer connections need the slot. `isNotified`:
        /// the connection stays open long enough for the peer to read the reason.
        case crowdedOut(isNotified: Bool)
    }

    let shared: ServerShared
    let resources: LoopResources
    let counts: LoopCounts
    let challenge: [UInt8]
    // Accesses to `machine` and `out` cannot overlap, so they are not checked at each use, which would
    // be 5 % of a call: only code on the loop uses them; the machine calls nothing; a handler on the
    // loop, which gets `out`, is synchronous, and a service writes to a connection only by functions
    // that are async.
    @exclusivity(unchecked)
    var machine: ServerCallMachine<RunningCall>
    var application: Application?
    /// Whether the caller is the operator's tool.
    var isAdmin = false
    /// Calls that wait in a lane's queue for a handler to finish.
    var waiting: [UInt64: WaitingCall] = [:]
    /// The languages in which errors are written, of those running calls whose metadata name
    /// another than English.
    var languages: [UInt64: Voice] = [:] { didSet { hasLanguages = !languages.isEmpty } }
    /// Every call reads this: `languages` itself is checked for exclusive access each time.
    private(set) var hasLanguages = false
    /// Set when the connection has been admitted.
    var life: ConnectionLife?
    var progress = OutboundProgress()
    var peer = Peer()
    var peerFrameBytesMax = FrameLimits.frameBytesDefault
    var frameBytesMax = FrameLimits.frameBytesBeforeHello
    private(set) var decoder = FrameDecoder()
    @exclusivity(unchecked)
    var out = ByteBuffer()
    var channelContext: ChannelHandlerContext?
    /// The uptime at the start of the current read; one clock reading serves all its calls.
    var eventUptime = Duration.zero
    var pings = PingRateLimiter()
    /// Set when the Hello arrives.
    var keepAlive: KeepAlive?
    var watch = ConnectionWatch()
    var watchdog: Scheduled<Void>?
    var timerTarget: TimerTarget?
    private(set) var isReading = false
    private var isFlushScheduled = false
    /// Bytes of items that have arrived and are not yet consumed.
    var inboundItemBytes = 0
    var capacityQueue = CallStream.CapacityQueue()
    var isPeerTaking = true
    var isWriterWoken = false

    init(_ shared: ServerShared, _ resources: LoopResources) {
        self.shared = shared
        self.resources = resources
        counts = shared.observation.counts(for: resources)
        challenge = shared.randomness.bytes(FrameLimits.challengeBytes)
        machine = ServerCallMachine(
            callsMax: shared.settings.callsMax, streamCredit: shared.settings.streamCredit)
    }

    // MARK: The channel's life

    func handlerAdded(context: ChannelHandlerContext) {
        channelContext = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channelContext = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        eventUptime = shared.time.uptime()
        guard enterLimiter(context.channel) else { return }
        life = ConnectionLife(
            at: eventUptime, shared.settings.limits, jitter: shared.randomness.integer())
        write(.hello(serverHello))
        watch.helloDue = eventUptime + FrameLimits.helloTimeout
        flush()
        arm()
        // The connection was accepted while the server began to drain, so it missed the drain
        // event.
        if shared.isDraining.load(ordering: .acquiring) { drain(.draining, "server stopping") }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leaveLimiter(context.channel)
        // From here on nothing is written and no timer is set, even if this runs during a read.
        channelContext = nil
        watchdog = nil  // not cancelled: see `TimerTarget`
        timerTarget?.cut()
        decoder.discard()
        stopAll("the connection was lost")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)  // a reset or a broken pipe: the peer is gone
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case Event.drain: drain(.draining, "server stopping")
        case Event.crowdedOut(let isNotified):
            crowdedOut(context.channel, isNotified: isNotified)
        case Event.callersChanged: recheckCaller()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard watch.lingerDue == nil else { return linger(buffer) }
        if !isReading {
            isReading = true
            eventUptime = shared.time.uptime()
            counts.readBegan(at: eventUptime)
            keepAlive?.received()
            resources.provideSpare(&out)
        }
        counts.figures.receivedBytes.add(buffer.readableBytes)
        let last = machine.highestCall
        read(decoder.take(buffer))
        // Once for all its calls.
        if machine.highestCall > last { life?.called(at: eventUptime) }
    }

    private func read(_ buffer: ByteBuffer) {
        let (consumed, violation) = FrameDecoder.forEachFrame(
            in: buffer, frameBytesMax: { frameBytesMax }, received)
        switch violation {
        case .empty: goAway(.protocolError, "a frame of length 0")
        case .tooLarge: goAway(.frameTooLarge, "a frame over \(frameBytesMax) bytes")
        case .frame, .incomplete, nil: break
        }
        // The connection has ended, and the unread bytes may contain a password.
        guard watch.lingerDue == nil, channelContext != nil else { return buffer.wipe() }
        decoder.store(buffer, from: consumed)
        // The timeout is for one frame; a new partial frame restarts it.
        if !decoder.isMidFrame {
            watch.partialDue = nil
        } else if consumed > 0 || watch.partialDue == nil {
            watch.partialDue = eventUptime + FrameLimits.partialFrameTimeout
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        flushAfterRead()
        counts.readEnded(shared.time)
        arm()
        context.fireChannelReadComplete()
    }

    /// Reading never waits for a consumer of items, but a peer that does not read its output is not
    /// read from.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable || watch.lingerDue != nil { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        eventUptime = shared.time.uptime()
        isPeerTaking = context.channel.isWritable
        if isPeerTaking {
            watch.outboundDue = nil
            letWritersGo()
            context.read()
        } else {
            watch.outboundDue = eventUptime + FrameLimits.outboundTimeout
            progress.began(pending: pendingBytes)
            arm()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Writing

    func write(_ kind: WireV1.Frame.Kind) {
        FrameWriter.write(kind, to: &out)
    }

    /// Sends the collected bytes, except while frames are being read: the end of the read flushes.
    func flushSoon() {
        guard !isReading, !isFlushScheduled, let channelContext else { return }
        isFlushScheduled = true
        let connection = NIOLoopBound(self, eventLoop: channelContext.eventLoop)
        channelContext.eventLoop.execute {
            connection.value.isFlushScheduled = false
            connection.value.flush()
        }
    }

    func flush() {
        guard let channelContext, out.readableBytes > 0 else { return resources.reclaim(&out) }
        progress.wrote(out.readableBytes)
        counts.figures.sentBytes.add(out.readableBytes)
        channelContext.writeAndFlush(wrapOutboundOut(out), promise: nil)
        resources.reclaim(&out)
        guard !channelContext.channel.isWritable else { return letWritersGo() }
        if pendingBytes > FrameLimits.outboundDropBytes { channelContext.close(promise: nil) }
    }

    // MARK: Ending

    /// Sends a GoAway, closes our side, and discards input for a moment so that the peer can read
    /// the GoAway.
    func goAway(
        _ reason: WireV1.GoAwayReason, _ message: String, retryAfter: Duration = .zero
    ) {
        guard let channelContext, watch.lingerDue == nil else { return }
        let last = machine.highestCall
        stopAll("the connection has ended")
        write(
            .goAway(
                WireV1.GoAway(
                    lastCall: last, reason: reason,
                    retryAfterMs: UInt32(clamping: retryAfter.milliseconds), message: message)))
        flush()
        decoder.discard()
        watch = ConnectionWatch()
        keepAlive = nil
        watch.lingerDue = shared.time.uptime() + FrameLimits.lingerTimeout
        channelContext.close(mode: .output, promise: nil)
        arm()
    }

    private func linger(_ buffer: ByteBuffer) {
        buffer.wipe()
        watch.lingeredBytes += buffer.readableBytes
        if watch.lingeredBytes > FrameLimits.lingerBytes { channelContext?.close(promise: nil) }
    }

    /// Accepts no new calls, and closes when the running ones have finished.
    /// - Parameter call: a call that was not started. It is rejected after the GoAway: a caller
    ///   that saw the error first would resend the call on this same connection and be rejected
    ///   again.
    /// - Parameter grace: how long calls that run may go on.
    func drain(
        _ reason: WireV1.GoAwayReason, _ message: String, refusing call: UInt64? = nil,
        grace: Duration = FrameLimits.drainGrace
    ) {
        guard watch.lingerDue == nil else { return }
        eventUptime = shared.time.uptime()
        if let due = watch.drainDue {
            // It drains for its age, and now the server stops.
            watch.drainDue = min(due, eventUptime + grace)
            return arm()
        }
        let (last, followers) = machine.drain()
        write(.goAway(WireV1.GoAway(lastCall: last, reason: reason, message: message)))
        if let call { respond(to: call, with: ServiceError(.unavailable, notProcessed: true)) }
        for follower in followers {
            stop(follower.call, follower.handle, ServiceError(.unavailable))
        }
        flush()
        watch.drainDue = eventUptime + grace
        closeIfDrained()
        arm()
    }

    /// Closes our side when all responses are written. The peer then closes. If we closed a socket
    /// with an unread request, the connection would be reset and the last responses lost.
    func closeIfDrained() {
        // The first condition is quicker than the others, and fails after nearly every call.
        guard watch.drainDue != nil, case .draining = machine.phase, machine.runningCount == 0,
            watch.lingerDue == nil, let channelContext
        else { return }
        flush()
        watch.lingerDue = shared.time.uptime() + FrameLimits.drainGrace
        keepAlive = nil
        let written = channelContext.eventLoop.makePromise(of: Void.self)
        channelContext.close(mode: .output, promise: written)
        let connection = NIOLoopBound(self, eventLoop: channelContext.eventLoop)
        written.futureResult.whenComplete { _ in connection.value.lingerBriefly() }
    }

    private func lingerBriefly() {
        let due = shared.time.uptime() + FrameLimits.lingerTimeout
        watch.lingerDue = min(due, watch.lingerDue ?? due)
        arm()
    }
}
