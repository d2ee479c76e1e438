import Messages
import NIOCore
import ServiceRuntime

/// How a server connection handles each frame.
extension ServerConnection {
    var serverHello: WireV1.Hello {
        WireV1.Hello(
            version: FrameLimits.version,
            frameBytesMax: UInt32(clamping: shared.settings.frameBytesMax),
            callsMax: UInt32(clamping: shared.settings.callsMax),
            streamCredit: shared.settings.streamCredit,
            keepaliveFloorMs: UInt32(clamping: FrameLimits.keepaliveFloor.milliseconds),
            challenge: challenge, agent: shared.settings.agent)
    }

    /// Handles one frame.
    /// - Returns: false when the connection has ended and the remaining bytes must not be read.
    func received(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        // Bounds the output that collects during one read for a peer that does not read it.
        if out.readableBytes > FrameLimits.outboundPauseBytes {
            flush()
            guard channelContext != nil else { return false }  // the connection was dropped
        }
        do throws(WireViolation) {
            switch try Envelope(bytes, range, arena: resources.arena) {
            case .request(var head):
                if !head.metadata.entries.isEmpty {
                    head.metadata.useVoice(of: shared.settings.formalLanguages)
                }
                return request(head, bytes, range)
            case .response: return violated("a Response from a client")
            case .item(let head): return item(head, bytes)
            case .other(let kind): return other(kind)
            case .unknown:
                return carryOut(machine.unknownFrame(), "too many frames of unknown kind")
            }
        } catch {
            return violated("a frame that does not decode")
        }
    }

    private func other(_ kind: WireV1.Frame.Kind) -> Bool {
        switch kind {
        case .hello(let hello): return greet(hello)
        case .cancel(let cancel): return cancelled(cancel.call)
        case .ping(let ping):
            guard machine.phase != .awaitingHello else { return violated("a Ping before Hello") }
            guard pings.allows(at: eventUptime) else {
                goAway(.tooManyPings, "pings under the keepalive floor")
                return false
            }
            write(.pong(WireV1.Pong(token: ping.token)))
            return true
        case .goAway:
            return machine.phase != .awaitingHello || violated("a GoAway before Hello")
        case .credit(let credit): return self.credit(credit)
        case .pong:
            return keepAlive?.isPinged == true
                || carryOut(machine.unknownFrame(), "a Pong without a Ping")
        case .request, .response, .item: return violated("a frame that does not decode")
        }
    }

    private func carryOut(
        _ instruction: ServerCallMachine<RunningCall>.Instruction,
        _ reason: String
    ) -> Bool {
        instruction == .violation ? violated(reason) : true
    }

    func violated(_ message: String) -> Bool {
        goAway(.protocolError, message)
        return false
    }

    // MARK: Hello

    private func greet(_ hello: WireV1.Hello) -> Bool {
        guard machine.hello(streamCredit: hello.streamCredit) == .proceed else {
            return violated("a second Hello")
        }
        guard hello.version >= 1 else {
            goAway(.unsupportedVersion, "this server speaks version \(FrameLimits.version)")
            return false
        }
        guard hello.service == shared.settings.service,
            let application = proved(hello)
        else {
            goAway(.unauthenticated, "the application's proof is missing or wrong")
            return false
        }
        self.application = application
        isAdmin = shared.settings.limits.adminApplications.contains(application.name)
        if hello.frameBytesMax > 0 {
            peerFrameBytesMax = min(Int(hello.frameBytesMax), FrameLimits.frameBytesMax)
        }
        frameBytesMax = shared.settings.frameBytesMax
        greeted(keepaliveFloor: .milliseconds(Int64(hello.keepaliveFloorMs)))
        return true
    }

    // MARK: Calls

    private func request(
        _ head: Envelope.Request, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> Bool {
        /// Rejects a request without decoding it; it may contain a secret.
        func refuseUndecoded(_ code: ErrorCode, fields: [String] = []) {
            head.wipe(bytes, range)
            respond(to: head.call, with: ServiceError(code, fields: fields, notProcessed: true))
        }
        switch machine.request(head.call) {
        case .violation: return violated("a Request out of order")
        case .ignore: return true
        case .refuseBusy: refuseUndecoded(.resourceExhausted)
        case .refuseDraining: refuseUndecoded(.unavailable)
        case .proceed where head.hasTooMuchMetadata:
            refuseUndecoded(.invalidArgument, fields: ["metadata"])
        case .proceed:
            recordLanguage(of: head.call, head.metadata)
            head.method.withBytes(in: bytes) { name in
                if let entry = shared.methods.entry(name),
                    !head.more || entry.handler.method.streams.hasRequestItems
                {
                    serve(head, bytes, entry)
                    if entry.handler.method.hasSecrets { head.wipe(bytes, range) }
                } else {
                    refuseUndecoded(.unknownMethod)
                }
            }
        }
        return true
    }

    private func serve(
        _ head: Envelope.Request, _ bytes: UnsafeRawBufferPointer, _ entry: MethodTable.Entry
    ) {
        let timeout =
            head.timeoutMilliseconds == 0
            ? entry.handler.method.timeout : .milliseconds(Int64(head.timeoutMilliseconds))
        let time = timeout - DeadlineMargin.of(timeout, besides: machine.runningCount)
        guard isCallerCurrent(for: head.call) else { return }
        let caller: CallIdentity
        do throws(ServiceError) {
            caller = try authorizedCaller(of: head, entry, time)
        } catch {
            return respond(to: head.call, with: error)
        }
        guard time > .zero else {
            return respond(to: head.call, with: ServiceError(.deadlineExceeded, notProcessed: true))
        }
        head.payload.withBytes(in: bytes) { payload in
            switch entry.handler.kind {
            case .onLoop(let handle): runOnLoop(head.call, payload, caller.context, entry, handle)
            case .async(let start):
                startTask(head, payload, caller.context, entry, start, tokenCaller: caller.byToken)
            }
        }
    }

    private func runOnLoop(
        _ call: UInt64, _ payload: UnsafeRawBufferPointer, _ context: CallContext,
        _ entry: MethodTable.Entry, _ handle: MethodHandler.OnLoop
    ) {
        let writer = ResponseWriter(call: call, frameBytesMax: peerFrameBytesMax)
        let observed = observe(entry, context, requestBytes: payload.count)
        do {
            let before = out.readableBytes
            try observed.run { try handle(payload, resources.arena, context, writer, &out) }
            takeLanguage(of: call)
            recordEnd(of: observed, .ok, responseBytes: out.readableBytes - before)
        } catch {
            recordEnd(of: observed, StatusCode(answering: error))
            respond(to: call, with: ServiceError(answering: error))
        }
    }

    private func startTask(
        _ head: Envelope.Request, _ payload: UnsafeRawBufferPointer, _ context: CallContext,
        _ entry: MethodTable.Entry, _ start: @escaping MethodHandler.Async, tokenCaller: Caller?
    ) {
        let call = head.call
        let limiter = limiter(of: entry)
        let method = entry.handler.method
        guard limiter.enter() else {
            // Streams do not queue, because their items would have to be queued as well.
            guard method.streams == .none else { return refuseStream(call, limiter) }
            return wait(call, payload, context, entry, start, limiter)
        }
        guard channelContext != nil else { return limiter.leave() }
        // Registered first: the task starts at once and may finish before its handle is stored.
        var stream: CallStream?
        if method.streams == .none {
            machine.began(call, deadline: context.deadline)
        } else {
            stream = beginStream(head, method, context.deadline)
            stream?.tokenCaller = tokenCaller
        }
        run(call, payload, context, entry, start, limiter, stream)
    }

    /// Runs the handler of a call that is registered and has entered `limiter`.
    func run(
        _ call: UInt64, _ payload: UnsafeRawBufferPointer, _ context: CallContext,
        _ entry: MethodTable.Entry, _ start: MethodHandler.Async, _ limiter: LaneLimiter,
        _ stream: CallStream? = nil
    ) {
        guard channelContext != nil else { return limiter.leave() }
        let handle = AsyncCall(
            call: call, connection: self, stream: stream, limiter: limiter,
            observed: observe(entry, context, requestBytes: payload.count))
        do {
            let handler = try handle.observed.run { try start(payload, context, handle) }
            machine.attach(RunningCall(handler: handler, stream: stream), to: call)
        } catch {
            handle.fail(error)  // the request does not decode
        }
    }

    private func cancelled(_ call: UInt64) -> Bool {
        let (instruction, running) = machine.cancel(call)
        guard instruction == .proceed else { return carryOut(instruction, "a Cancel out of order") }
        stop(call, running, ServiceError(.cancelled))
        return true
    }
}

/// How a server connection starts streaming calls, and ends all its calls.
extension ServerConnection: StreamConnection {
    var arena: Arena { resources.arena }

    /// Starts a streaming call.
    func beginStream(
        _ head: Envelope.Request, _ method: MethodDescription, _ deadline: Duration
    ) -> CallStream {
        let credit = machine.began(
            head.call, deadline: deadline, streams: method.streams, more: head.more,
            isFollower: method.isWatch)
        let stream = CallStream(resources.executor.loop)
        stream.begin(self, as: head.call, credit)
        if !head.more { stream.endIncoming() }
        return stream
    }

    /// Ends all calls, because the connection has ended.
    func stopAll(_ reason: String) {
        let error = ServiceError(.cancelled, detail: reason)
        for running in machine.close() { running.stop(error) }
        forgetAllWaiting()
    }
}
