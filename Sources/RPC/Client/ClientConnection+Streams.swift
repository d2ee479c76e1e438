import Messages
import NIOCore
import ServiceRuntime

/// How a client's connection carries the streams of its calls.
extension ClientConnection: StreamCarrier {
    // MARK: From the server

    /// - Returns: false when the rest is not to be read.
    func item(_ head: ItemHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        switch machine.item(head.call, isItem: head.isItem, isEnd: head.isEnd) {
        case .violation:
            context?.close(promise: nil)  // a server that breaks the protocol is left
            return false
        case .ignore: break
        case .refuse(let fault, let pending):
            if let pending { abandon(head.call, pending, ServiceError(fault)) }
            ended()
        case .deliver(let pending):
            guard let stream = pending?.stream else { return true }
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
        guard inboundItemBytes > FrameLimits.inboundItemBytesMax,
            let pending = machine.ended(head.call)
        else { return }
        abandon(
            head.call, pending,
            ServiceError(.resourceExhausted, detail: "too many bytes of items wait"))
        ended()
    }

    func credit(_ credit: WireV1.Credit) -> Bool {
        switch machine.credit(credit.call, credit.items) {
        case .violation:
            context?.close(promise: nil)  // a server that breaks the protocol is left
            return false
        case .ignore, .refuse: break
        case .deliver(let pending): pending?.stream?.pump()
        }
        return true
    }

    // MARK: From the program

    func send(_ item: ItemPayload, of call: UInt64) -> Sending {
        guard isPeerTaking, out.readableBytes < FrameLimits.outboundTurnBytes else {
            return .noRoom
        }
        guard FrameWriter.itemBytes(call: call, item.byteCount) <= serverFrameBytesMax else {
            return .failed(
                ServiceError(.resourceExhausted, detail: "an item is over the server's limit"))
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
