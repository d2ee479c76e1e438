import Messages
import NIOCore
import ServiceRuntime

/// One connection of a client. It sends the Hello, follows the instructions of `ClientCallMachine`,
/// and ends each call with its Response, at its deadline or when the connection is lost. Everything
/// runs on its event loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let settings: ClientSettings
    let time: any Time
    /// Called once, when the connection is ready. `onLoss` is called once, when it accepts no more
    /// calls.
    private let onReady: (ClientConnection) -> Void
    let onLoss: (ClientConnection, ServiceError) -> Void
    let arena = Arena()
    var machine: ClientCallMachine<PendingCall>
    private var decoder = FrameDecoder()
    var out = ByteBuffer()
    private(set) var channelContext: ChannelHandlerContext?
    /// The GoAway that the server sent.
    private(set) var farewell: WireV1.GoAway?
    private(set) var peerFrameBytesMax = FrameLimits.frameBytesDefault
    /// Bytes of items that have arrived and are not yet consumed.
    var inboundItemBytes = 0
    var capacityQueue = CallStream.CapacityQueue()
    var isPeerTaking = true
    var isWriterWoken = false
    var isGreeted = false
    var isLost = false
    private var isFlushScheduled = false
    /// Something was written without passing through `out`.
    private var hasWritten = false
    private var isReading = false
    private var timer: Scheduled<Void>?
    /// Without the deadline for a partial frame, a length that lost its place in the stream would
    /// keep the connection: every byte that follows counts as a sign of life.
    var watch = ConnectionWatch()
    /// Whether the server gives nothing at all, for the calls whose deadlines pass.
    private(set) var silence = ConnectionSilence<ClientEndpoint.Placement>()
    private var keepAlive: KeepAlive?
    /// The reason for an imminent loss of the connection.
    private var failure: String?

    /// A connection that uses call ids up to `idsMax` and then requests a replacement.
    init(
        _ settings: ClientSettings, time: any Time, idsMax: UInt64 = FrameLimits.callIDsMax,
        onReady: @escaping (ClientConnection) -> Void,
        onLoss: @escaping (ClientConnection, ServiceError) -> Void
    ) {
        self.settings = settings
        self.time = time
        self.onReady = onReady
        self.onLoss = onLoss
        machine = ClientCallMachine(streamCredit: settings.streamCredit, idsMax: idsMax)
    }

    // MARK: The channel's life

    func handlerAdded(context: ChannelHandlerContext) { channelContext = context }

    /// The only callback for a connection that was never established. Without it, each failed
    /// attempt would leak a connection object.
    func handlerRemoved(context: ChannelHandlerContext) { channelContext = nil }

    func channelActive(context: ChannelHandlerContext) {
        let due = time.uptime() + FrameLimits.helloTimeout
        watch.helloDue = due
        arm(due)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        channelContext = nil
        timer?.cancel()
        let detail = ["connection lost", failure].compactMap { $0 }.joined(separator: ": ")
        lose(ServiceError(.unavailable, detail: detail, notProcessed: !isGreeted))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = failure ?? ConnectionFailure.text(error)  // the first error is the cause
        context.close(promise: nil)  // channelInactive fails the waiting calls
    }

    /// The connection accepts no more calls; running calls may have been processed.
    private func lose(_ error: ServiceError) {
        if !isLost {
            isLost = true
            onLoss(self, error)
        }
        if let (calls, isSilent) = silence.close() { judge(calls, isSilent: isSilent) }
        let (sent, waiting) = machine.close()
        for call in waiting { call.fail(Self.lostError) }
        for call in sent { call.fail(error) }
    }

    // MARK: Frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        keepAlive?.received()
        let buffer = decoder.take(unwrapInboundIn(data))
        let (consumed, violation) = FrameDecoder.forEachFrame(
            in: buffer, frameBytesMax: { FrameLimits.frameBytesMax }, received)
        if violation != nil { return context.close(promise: nil) }
        decoder.store(buffer, from: consumed)
        if !decoder.isMidFrame {
            watch.partialDue = nil
        } else if consumed > 0 || watch.partialDue == nil {
            let due = time.uptime() + FrameLimits.partialFrameTimeout
            watch.partialDue = due
            arm(due)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        flushAfterRead()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isPeerTaking = context.channel.isWritable
        if isPeerTaking { letWritersGo() }
        context.fireChannelWritabilityChanged()
    }

    /// - Returns: false when the remaining bytes must not be read.
    private func received(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        silence.received()
        guard let envelope = try? Envelope(bytes, range, arena: arena) else {
            return violated("a frame that does not decode")
        }
        switch envelope {
        case .response(let head): response(head, bytes)
        case .item(let head): return item(head, bytes)
        case .other(.credit(let credit)): return self.credit(credit)
        case .other(.hello(let hello)): greet(hello)
        case .other(.goAway(let goAway)): leave(goAway)
        case .other(.ping(let ping)):
            FrameWriter.write(.pong(WireV1.Pong(token: ping.token)), to: &out)
        case .other, .request, .unknown: break
        }
        return true
    }

    private func greet(_ server: WireV1.Hello) {
        guard !isGreeted else { return }
        isGreeted = true
        watch.helloDue = nil
        let keepAlive = KeepAlive(
            at: time.uptime(), floor: .milliseconds(Int64(server.keepaliveFloorMs)))
        self.keepAlive = keepAlive
        arm(keepAlive.due)
        if server.frameBytesMax > 0 { peerFrameBytesMax = Int(server.frameBytesMax) }
        machine.hello(callsMax: server.callsMax, streamCredit: server.streamCredit)
        var hello = WireV1.Hello(
            version: FrameLimits.version,
            frameBytesMax: UInt32(clamping: FrameLimits.frameBytesMax),
            streamCredit: settings.streamCredit,
            keepaliveFloorMs: UInt32(clamping: FrameLimits.keepaliveFloor.milliseconds),
            agent: "postern/\(ProductVersion.text)", service: settings.service)
        do {
            try settings.prove(&hello, challenge: server.challenge, over: channelContext?.channel)
        } catch {
            // TLS without a certificate: there is no server to authenticate to.
            channelContext?.close(promise: nil)
            return
        }
        FrameWriter.write(.hello(hello), to: &out)
        onReady(self)
    }

    private func response(_ head: Envelope.Response, _ bytes: UnsafeRawBufferPointer) {
        guard let call = machine.ended(head.call) else { return }
        defer { ended() }
        call.isAnswered = true
        if let failure = head.failure, failure.status != 0 {
            return call.fail(ServiceError(failure))
        }
        head.payload.withBytes(in: bytes) { payload in
            call.end(.success(BorrowedResponse(payload: payload, arena: arena)))
        }
    }

    private func leave(_ goAway: WireV1.GoAway) {
        farewell = goAway
        let code: ErrorCode = goAway.reason == .unauthenticated ? .unauthenticated : .unavailable
        let error = ServiceError(
            code, detail: "\(settings.service) said \(goAway.reason): \(goAway.message)",
            notProcessed: true)
        let unprocessed = machine.leave(lastCall: goAway.lastCall)
        if !isLost {
            isLost = true
            onLoss(self, error)
        }
        for call in unprocessed { call.fail(error) }
        ended()
    }

    // MARK: Writing and time

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
        guard let channelContext, out.readableBytes > 0 || hasWritten else { return }
        hasWritten = false
        if out.readableBytes > 0 {
            channelContext.writeAndFlush(wrapOutboundOut(out), promise: nil)
            out.clear(minimumCapacity: 0)
        } else {
            channelContext.flush()
        }
        if isPeerTaking { letWritersGo() }
    }

    /// Writes a buffer after the contents of `out`; the next flush sends both.
    func write(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>) {
        guard let channelContext else { return promise.fail(ChannelError.ioOnClosedChannel) }
        if out.readableBytes > 0 {
            channelContext.write(wrapOutboundOut(out), promise: nil)
            out.clear(minimumCapacity: 0)
        }
        hasWritten = true
        channelContext.write(wrapOutboundOut(buffer), promise: promise)
    }

    func arm(_ due: Duration) {
        guard let channelContext else { return }
        if let armed = watch.armedFor, armed <= due { return }
        timer?.cancel()
        watch.armedFor = due
        let connection = NIOLoopBound(self, eventLoop: channelContext.eventLoop)
        let wait = max(.milliseconds(1), due - time.uptime())
        timer = channelContext.eventLoop.scheduleTask(in: TimeAmount(wait)) {
            connection.value.wake()
        }
    }

    private func wake() {
        watch.armedFor = nil
        let uptime = time.uptime()
        let (late, unsent) = machine.overdue(at: uptime)
        for (call, pending) in late { abandon(call, pending, ServiceError(.deadlineExceeded)) }
        for pending in unsent {
            pending.fail(ServiceError(.deadlineExceeded, notProcessed: true))
        }
        if !late.isEmpty { ended() }
        if let (calls, isSilent) = silence.look(at: uptime) { judge(calls, isSilent: isSilent) }
        // A server that sends nothing, from the start or now, is dropped: its calls may succeed
        // elsewhere.
        if watch.overdue(at: uptime) != nil {
            let isPartial = watch.partialDue.map { $0 <= uptime } ?? false
            failure = !isGreeted ? "no Hello received" : isPartial ? "a frame did not end" : nil
            channelContext?.close(promise: nil)
        }
        switch keepAlive?.look(at: uptime) {
        case .close:
            failure = "keepalive timed out"
            channelContext?.close(promise: nil)
        case .ping: FrameWriter.write(.ping(WireV1.Ping()), to: &out)
        case .wait, nil: break
        }
        flush()
        let others = ConnectionWatch.sooner(keepAlive?.due, silence.due)
        if let next = watch.nextDue(or: machine.nextDeadline, or: others) { arm(next) }
    }

    /// The deadline of a call that was sent has passed; the breaker of its endpoint gets the outcome
    /// now, or when it is clear whether the server is silent.
    func deadlinePassed(of call: ClientEndpoint.Placement, since framesBefore: UInt64) {
        switch silence.deadlinePassed(of: call, since: framesBefore, at: time.uptime()) {
        case .working: call.judged(isSilent: false)
        case .silent: call.judged(isSilent: true)
        case .doubtful: break  // `wake`, which ended the call, sets the timer
        }
    }

    private func judge(_ calls: [ClientEndpoint.Placement], isSilent: Bool) {
        for call in calls { call.judged(isSilent: isSilent) }
    }
}
