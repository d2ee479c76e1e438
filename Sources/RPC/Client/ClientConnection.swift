import Messages
import NIOCore
import ServiceRuntime

/// One connection of a client: says Hello, obeys `ClientCallMachine`, and ends each call with its
/// Response, its deadline or the connection's loss. Everything happens on its event loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let settings: ClientSettings
    private let time: any Time
    /// Told once when the connection is ready, and once when it takes no more calls.
    private let onReady: (ClientConnection) -> Void
    private let onLoss: (ClientConnection, ServiceError) -> Void
    let arena = Arena()
    var machine: ClientCallMachine<PendingCall>
    private var decoder = FrameDecoder()
    var out = ByteBuffer()
    private(set) var context: ChannelHandlerContext?
    /// What the server said when it left.
    private(set) var farewell: WireV1.GoAway?
    private(set) var serverFrameBytesMax = FrameLimits.frameBytesDefault
    /// Bytes of items that came and are not consumed.
    var inboundItemBytes = 0
    var roomQueue = RoomQueue()
    var isPeerTaking = true
    var isWriterWoken = false
    private var isGreeted = false
    private var isLost = false
    private var isFlushScheduled = false
    private var isReading = false
    private var timer: Scheduled<Void>?
    private var timerDue: Duration?
    private var helloDue: Duration?
    private var closeDue: Duration?
    private var keepAlive: KeepAlive?

    /// A connection that uses the call ids up to `idsMax` and then leaves for another.
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

    // MARK: Calls

    /// Sends a call, at once or when the server has room for it.
    func start(_ call: PendingCall) {
        switch machine.admission {
        case .send(let number): send(call, as: number)
        case .wait:
            machine.wait(call, deadline: call.deadline)
            arm(call.deadline)
        case .refuseFull:
            call.fail(ServiceError(.resourceExhausted, detail: "too many wait", notProcessed: true))
        case .refuseLost: call.fail(Self.lostError)
        }
    }

    private func send(_ call: PendingCall, as number: UInt64) {
        let left = call.deadline - time.uptime()
        guard left > .zero else { return call.fail(ServiceError(.deadlineExceeded)) }
        guard call.request.metadata.isWithinLimits else {
            return call.fail(ServiceError(.invalidArgument, fields: ["metadata"]))
        }
        let isWritten = FrameWriter.writeRequest(
            call: number, call.request,
            timeoutMilliseconds: UInt32(clamping: max(1, left.milliseconds)), to: &out,
            frameBytesMax: serverFrameBytesMax)
        guard isWritten else {
            return call.fail(
                ServiceError(.resourceExhausted, detail: "the request is over the server's limit"))
        }
        let isLast = machine.began(
            call, deadline: call.deadline, streams: call.streams, isWatch: call.isWatch)
        call.sent(on: self, as: number)
        flushSoon()
        arm(call.deadline)
        if isLast { leave() }
    }

    /// Gives a call up: the server is told, and the call ends at once.
    func cancel(_ call: UInt64) {
        guard let pending = machine.ended(call) else { return }
        abandon(call, pending, ServiceError(.cancelled))
        ended()
        flushSoon()
    }

    func abandon(_ call: UInt64, _ pending: PendingCall, _ error: ServiceError) {
        FrameWriter.write(.cancel(WireV1.Cancel(call: call)), to: &out, arena: arena)
        pending.fail(error)
    }

    /// A call has ended: another has room, or the connection has no more use.
    func ended() {
        while let (call, number) = machine.nextWaiting() {
            if !call.isOver { send(call, as: number) }
        }
        guard isLost, machine.isIdle else { return }
        flush()
        context?.close(promise: nil)
    }

    /// Takes no more calls, says so, and closes when those that run are over, or at the end of the
    /// grace. Followers, which nothing else ends, are given up.
    func close() {
        guard isGreeted, let context else { context?.close(promise: nil); return }
        leave()
        for (call, pending) in machine.takeWatches() {
            abandon(call, pending, ServiceError(.unavailable, detail: "this client is closed"))
        }
        ended()
        guard context.channel.isActive else { return }
        let due = time.uptime() + FrameLimits.drainGrace
        closeDue = due
        arm(due)
    }

    /// Takes no more calls, and closes when those that run are over; its link knows already.
    func retire() {
        isLost = true
        for call in machine.leave() { call.fail(Self.lostError) }
        ended()
    }

    /// No new calls from now on; the server is told.
    private func leave() {
        guard !isLost else { return }
        isLost = true
        let unsent = machine.leave()
        let goAway = WireV1.GoAway(reason: .draining, message: "this client takes its leave")
        FrameWriter.write(.goAway(goAway), to: &out, arena: arena)
        flushSoon()
        onLoss(self, Self.lostError)
        for call in unsent { call.fail(Self.lostError) }
    }

    private static var lostError: ServiceError {
        ServiceError(.unavailable, detail: "connection lost", notProcessed: true)
    }

    // MARK: The channel's life

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// The only end of a connection that never stood: without it, each attempt would leave one.
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        let due = time.uptime() + FrameLimits.helloPatience
        helloDue = due
        arm(due)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        timer?.cancel()
        lose(ServiceError(.unavailable, detail: "connection lost", notProcessed: !isGreeted))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)  // channelInactive tells whoever waits
    }

    /// The connection takes no more calls; those that run may have been processed.
    private func lose(_ error: ServiceError) {
        if !isLost {
            isLost = true
            onLoss(self, error)
        }
        let (sent, waiting) = machine.close()
        for call in waiting { call.fail(Self.lostError) }
        for call in sent { call.fail(error) }
    }

    // MARK: Frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        keepAlive?.heard()
        let buffer = decoder.take(unwrapInboundIn(data))
        let (consumed, violation) = FrameDecoder.forEachFrame(
            in: buffer, frameBytesMax: { FrameLimits.frameBytesMax }, received)
        if violation != nil { return context.close(promise: nil) }
        decoder.keep(buffer, from: consumed)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        flushTurn()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isPeerTaking = context.channel.isWritable
        if isPeerTaking { letWritersGo() }
        context.fireChannelWritabilityChanged()
    }

    /// - Returns: false when the rest is not to be read.
    private func received(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        guard let envelope = try? Envelope(bytes, range, arena: arena) else {
            context?.close(promise: nil)  // a server that breaks the protocol is left
            return false
        }
        switch envelope {
        case .response(let head): response(head, bytes)
        case .item(let head): return item(head, bytes)
        case .other(.credit(let credit)): return self.credit(credit)
        case .other(.hello(let hello)): greet(hello)
        case .other(.goAway(let goAway)): leave(goAway)
        case .other(.ping(let ping)):
            FrameWriter.write(.pong(WireV1.Pong(token: ping.token)), to: &out, arena: arena)
        case .other, .request, .unknown: break
        }
        return true
    }

    private func greet(_ server: WireV1.Hello) {
        guard !isGreeted else { return }
        isGreeted = true
        helloDue = nil
        let keepAlive = KeepAlive(
            at: time.uptime(), floor: .milliseconds(Int64(server.keepaliveFloorMs)))
        self.keepAlive = keepAlive
        arm(keepAlive.due)
        if server.frameBytesMax > 0 { serverFrameBytesMax = Int(server.frameBytesMax) }
        machine.hello(callsMax: server.callsMax, streamCredit: server.streamCredit)
        var hello = WireV1.Hello(
            version: FrameLimits.version,
            frameBytesMax: UInt32(clamping: FrameLimits.frameBytesMax),
            streamCredit: settings.streamCredit,
            keepaliveFloorMs: UInt32(clamping: FrameLimits.keepaliveFloor.milliseconds),
            agent: "postern/1", service: settings.service)
        do {
            try settings.prove(&hello, challenge: server.challenge, over: context?.channel)
        } catch {
            context?.close(promise: nil)  // TLS without a certificate: there is nothing to prove to
            return
        }
        FrameWriter.write(.hello(hello), to: &out, arena: arena)
        onReady(self)
    }

    private func response(_ head: ResponseHead, _ bytes: UnsafeRawBufferPointer) {
        guard let call = machine.ended(head.call) else { return }
        defer { ended() }
        call.isAnswered = true
        if let failure = head.failure, failure.status != 0 {
            return call.fail(ServiceError(failure))
        }
        head.payload.withBytes(in: bytes) { payload in
            call.end(.success(LentAnswer(payload: payload, arena: arena)))
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
        guard !isReading, !isFlushScheduled, let context else { return }
        isFlushScheduled = true
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            connection.value.isFlushScheduled = false
            connection.value.flush()
        }
    }

    func flush() {
        guard let context, out.readableBytes > 0 else { return }
        context.writeAndFlush(wrapOutboundOut(out), promise: nil)
        out.clear(minimumCapacity: 0)
        if isPeerTaking { letWritersGo() }
    }

    private func arm(_ due: Duration) {
        guard let context else { return }
        if let timerDue, timerDue <= due { return }
        timer?.cancel()
        timerDue = due
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        let wait = max(.milliseconds(1), due - time.uptime())
        timer = context.eventLoop.scheduleTask(in: TimeAmount(wait)) { connection.value.wake() }
    }

    private func wake() {
        timerDue = nil
        let uptime = time.uptime()
        let (late, unsent) = machine.overdue(at: uptime)
        for (call, pending) in late { abandon(call, pending, ServiceError(.deadlineExceeded)) }
        for pending in unsent {
            pending.fail(ServiceError(.deadlineExceeded, notProcessed: true))
        }
        if !late.isEmpty { ended() }
        // A server that is silent, from the start or now, is left: its calls may work elsewhere.
        if [helloDue, closeDue].contains(where: { $0.map { $0 <= uptime } ?? false }) {
            context?.close(promise: nil)
        }
        switch keepAlive?.look(at: uptime) {
        case .close: context?.close(promise: nil)
        case .ping: FrameWriter.write(.ping(WireV1.Ping()), to: &out, arena: arena)
        case .wait, nil: break
        }
        flush()
        let dues = [machine.nextDeadline, helloDue, closeDue, keepAlive?.due]
        if let next = dues.compactMap({ $0 }).min() { arm(next) }
    }
}
