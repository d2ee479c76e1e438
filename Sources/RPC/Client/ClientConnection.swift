import Messages
import NIOCore
import ServiceRuntime

/// One connection of a client: says Hello, numbers the calls, and ends each with its Response, its
/// deadline or the connection's loss. Everything happens on its event loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let settings: ClientSettings
    private let time: any Time
    /// Told once when the connection is ready, and once when it takes no more calls.
    private let onReady: (ClientConnection) -> Void
    private let onLoss: (ClientConnection, ServiceError) -> Void
    private let arena = Arena()
    private var decoder = FrameDecoder()
    private var out = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var calls: [UInt64: PendingCall] = [:]
    private var lastCall: UInt64 = 0
    private var serverFrameBytesMax = FrameLimits.frameBytesDefault
    private var isGreeted = false
    private var isLost = false
    private var isFlushScheduled = false
    private var isReading = false
    private var timer: Scheduled<Void>?
    private var timerDue: Duration?
    private var helloDue: Duration?
    private var keepAlive: KeepAlive?

    init(
        _ settings: ClientSettings, time: any Time,
        onReady: @escaping (ClientConnection) -> Void,
        onLoss: @escaping (ClientConnection, ServiceError) -> Void
    ) {
        self.settings = settings
        self.time = time
        self.onReady = onReady
        self.onLoss = onLoss
    }

    // MARK: Calls

    /// Sends a call.
    func start(_ call: PendingCall) {
        guard !isLost else {
            return call.fail(
                ServiceError(.unavailable, detail: "connection lost", notProcessed: true))
        }
        let left = call.deadline - time.uptime()
        guard left > .zero else { return call.fail(ServiceError(.deadlineExceeded)) }
        guard call.request.metadata.isWithinLimits else {
            return call.fail(ServiceError(.invalidArgument, fields: ["metadata"]))
        }
        let isWritten = FrameWriter.writeRequest(
            call: lastCall + 1, call.request,
            timeoutMilliseconds: UInt32(clamping: max(1, left.milliseconds)), to: &out,
            frameBytesMax: serverFrameBytesMax)
        guard isWritten else {
            return call.fail(
                ServiceError(.resourceExhausted, detail: "the request is over the server's limit"))
        }
        lastCall += 1
        calls[lastCall] = call
        call.sent(on: self, as: lastCall)
        flushSoon()
        arm(call.deadline)
    }

    /// Gives a call up: the server is told, and the call ends at once.
    func cancel(_ call: UInt64) {
        abandon(call, ServiceError(.cancelled))
        flushSoon()
    }

    private func abandon(_ call: UInt64, _ error: ServiceError) {
        guard let pending = calls.removeValue(forKey: call) else { return }
        FrameWriter.write(.cancel(WireV1.Cancel(call: call)), to: &out, arena: arena)
        pending.fail(error)
        closeIfDone()
    }

    /// A connection that takes no more calls has no use once the last is over.
    private func closeIfDone() {
        guard isLost, calls.isEmpty else { return }
        flush()
        context?.close(promise: nil)
    }

    /// Closes; used when the program stops. What still runs ends as unavailable.
    func close() { context?.close(promise: nil) }

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
        let ended = calls.values
        calls = [:]
        for call in ended { call.fail(error) }
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
        flush()
        context.fireChannelReadComplete()
    }

    /// - Returns: false when the rest is not to be read.
    private func received(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        guard let envelope = try? Envelope(bytes, range, arena: arena) else {
            context?.close(promise: nil)  // a server that breaks the protocol is left
            return false
        }
        switch envelope {
        case .response(let head): response(head, bytes)
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
        var hello = WireV1.Hello(
            version: FrameLimits.version,
            frameBytesMax: UInt32(clamping: FrameLimits.frameBytesMax),
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
        guard let call = calls.removeValue(forKey: head.call) else { return }
        defer { closeIfDone() }
        if let failure = head.failure, failure.status != 0 {
            return call.fail(ServiceError(failure))
        }
        head.payload.withBytes(in: bytes) { payload in
            call.end(.success(LentAnswer(payload: payload, arena: arena)))
        }
    }

    private func leave(_ goAway: WireV1.GoAway) {
        let code: ErrorCode = goAway.reason == .unauthenticated ? .unauthenticated : .unavailable
        let error = ServiceError(
            code, detail: "\(settings.service) said \(goAway.reason): \(goAway.message)",
            notProcessed: true)
        if !isLost {
            isLost = true
            onLoss(self, error)
        }
        for call in calls.keys where call > goAway.lastCall {
            calls.removeValue(forKey: call)?.fail(error)
        }
        closeIfDone()
    }

    // MARK: Writing and time

    private func flushSoon() {
        guard !isReading, !isFlushScheduled, let context else { return }
        isFlushScheduled = true
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            connection.value.isFlushScheduled = false
            connection.value.flush()
        }
    }

    private func flush() {
        guard let context, out.readableBytes > 0 else { return }
        context.writeAndFlush(wrapOutboundOut(out), promise: nil)
        out.clear(minimumCapacity: 0)
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
        for (call, pending) in calls where pending.deadline <= uptime {
            abandon(call, ServiceError(.deadlineExceeded))
        }
        // A server that is silent, from the start or now, is left: its calls may work elsewhere.
        if let helloDue, helloDue <= uptime { context?.close(promise: nil) }
        switch keepAlive?.look(at: uptime) {
        case .close: context?.close(promise: nil)
        case .ping: FrameWriter.write(.ping(WireV1.Ping()), to: &out, arena: arena)
        case .wait, nil: break
        }
        flush()
        let dues = calls.values.map(\.deadline) + [helloDue, keepAlive?.due].compactMap { $0 }
        if let next = dues.min() { arm(next) }
    }
}
