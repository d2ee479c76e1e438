import Messages
import NIOCore
import ServiceRuntime

/// How a server connection carries the streams of its calls.
extension ServerConnection: StreamCarrier {
    var arena: Arena { resources.arena }

    /// Begins a call with streams.
    func beginStream(
        _ head: RequestHead, _ method: MethodDescription, _ deadline: Duration,
        _ loop: any EventLoop
    ) -> CallStream {
        machine.began(
            head.call, deadline: deadline, streams: method.streams, more: head.more,
            isWatch: method.isWatch)
        let stream = CallStream(loop)
        stream.begin(self, as: head.call)
        if !head.more { stream.endIncoming() }
        return stream
    }

    /// The connection is over for all its calls.
    func stopAll(_ reason: String) {
        let error = ServiceError(.cancelled, detail: reason)
        for running in machine.close() { running.stop(error) }
        forgetAllWaiting()
    }

    // MARK: From the client

    func item(_ head: ItemHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        switch machine.item(head.call, isItem: head.isItem, isEnd: head.isEnd) {
        case .violation: return violated("an Item out of order")
        case .ignore: return true
        case .refuse(let fault, let running): stop(head.call, running, ServiceError(fault))
        case .deliver(let running):
            guard let stream = running?.stream else { return true }
            if head.isItem { deliver(head, bytes, to: stream) }
            if head.isEnd { stream.endIncoming() }
        }
        return true
    }

    private func deliver(
        _ head: ItemHead, _ bytes: UnsafeRawBufferPointer, to stream: CallStream
    ) {
        let before = stream.inbox.byteCount
        head.payload.withBytes(in: bytes) { stream.deliver($0) }
        inboundItemBytes += stream.inbox.byteCount - before
        guard inboundItemBytes > FrameLimits.inboundItemBytesMax else { return }
        let (_, running) = machine.cancel(head.call)
        stop(
            head.call, running,
            ServiceError(.resourceExhausted, detail: "too many bytes of items wait"))
    }

    func credit(_ credit: WireV1.Credit) -> Bool {
        switch machine.credit(credit.call, credit.items) {
        case .violation: return violated("a Credit out of order")
        case .ignore, .refuse: break
        case .deliver(let running): running?.stream?.pump()
        }
        return true
    }

    // MARK: From the handlers

    func send(_ item: ItemPayload, of call: UInt64) -> Sending {
        guard isPeerTaking, out.readableBytes < FrameLimits.outboundTurnBytes else {
            return .noRoom
        }
        guard FrameWriter.itemBytes(call: call, item.byteCount) <= peerFrameBytesMax else {
            return .failed(ResponseWriter.tooLarge)
        }
        switch machine.send(call) {
        case .noCredit: return .noCredit
        case .over: return .failed(ServiceError(.cancelled))
        case .sent:
            FrameWriter.writeItem(call: call, item, to: &out)
            flushSoon()
            return .sent
        }
    }

    func sendEnd(of call: UInt64) {
        guard machine.sendEnd(call) else { return }
        FrameWriter.writeEnd(call: call, to: &out)
        flushSoon()
    }

    func consumed(_ count: Int, byteCount: Int, of call: UInt64) {
        inboundItemBytes -= byteCount
        guard count > 0 else { return }
        let items = machine.consumed(call, UInt32(clamping: count))
        guard items > 0 else { return }
        FrameWriter.writeCredit(call: call, items: items, to: &out)
        flushSoon()
    }

    func waitForRoom(_ stream: CallStream) { roomQueue.add(stream) }

    func wokeWriter() { isWriterWoken = true }

    // MARK: Writing

    /// Ends a read turn. A writer that it woke runs behind it and has more to send: one flush for
    /// both.
    func flushTurn() {
        guard isWriterWoken else { return flush() }
        isWriterWoken = false
        flushSoon()
    }

    /// There is room again: who waits for it goes on, in the order of their coming.
    func letWritersGo() {
        while isPeerTaking, out.readableBytes < FrameLimits.outboundTurnBytes,
            let stream = roomQueue.next()
        {
            stream.pump()
        }
        if out.readableBytes > 0 { flushSoon() }
    }
}

extension ServiceError {
    /// What a misused stream costs its call.
    init(_ fault: StreamFault) {
        switch fault {
        case .overCredit: self.init(.resourceExhausted, detail: "an item beyond its credit")
        case .afterEnd: self.init(.invalidArgument, detail: "an item after the last")
        }
    }
}
