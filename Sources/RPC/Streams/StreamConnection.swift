import Messages
import NIOCore
import ServiceRuntime

/// A call as its connection holds it, where it may have streams.
protocol StreamHolder {
    var stream: CallStream? { get }
}

/// How a connection, of either side, carries the streams of its calls: what comes goes by its call
/// machine to the call's stream, what goes is written behind what gathers for the next flush.
protocol StreamConnection: StreamCarrier {
    associatedtype Machine: StreamMachine where Machine.Handle: StreamHolder

    var machine: Machine { get set }
    /// What gathers for the peer.
    var out: ByteBuffer { get set }
    /// Largest frame that the peer takes, in bytes.
    var peerFrameBytesMax: Int { get }
    /// The peer takes what it is sent.
    var isPeerTaking: Bool { get }
    /// Bytes of items that came and are not consumed.
    var inboundItemBytes: Int { get set }
    var roomQueue: RoomQueue { get set }
    var isWriterWoken: Bool { get set }

    /// The peer broke the protocol, and the connection ends.
    /// - Returns: false: the rest is not to be read.
    func violated(_ message: String) -> Bool
    /// A call that the machine holds over ends with `error`: who waits for it and the peer are told.
    func stop(_ call: UInt64, _ handle: Machine.Handle?, _ error: ServiceError)
    /// Sends what has gathered.
    func flush()
    /// The same, unless a read turn is under way, whose end will.
    func flushSoon()
}

// MARK: From the peer

extension StreamConnection {
    /// - Returns: false when the rest is not to be read.
    func item(_ head: ItemHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        switch machine.item(head.call, isItem: head.isItem, isEnd: head.isEnd) {
        case .violation: return violated("an Item out of order")
        case .ignore: return true
        case .refuse(let fault, let handle): stop(head.call, handle, ServiceError(fault))
        case .deliver(let handle):
            guard let stream = handle?.stream else { return true }
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
        stop(
            head.call, machine.giveUp(head.call),
            ServiceError(.resourceExhausted, detail: "too many bytes of items wait"))
    }

    /// - Returns: false when the rest is not to be read.
    func credit(_ credit: WireV1.Credit) -> Bool {
        switch machine.credit(credit.call, credit.items) {
        case .violation: return violated("a Credit out of order")
        case .ignore, .refuse: break
        case .deliver(let handle): handle?.stream?.pump()
        }
        return true
    }
}

// MARK: From the streams

extension StreamConnection {
    func send(_ item: some WireEncoded, of stream: CallStream) -> Sending {
        guard isPeerTaking, out.readableBytes < FrameLimits.outboundTurnBytes else {
            return .noRoom
        }
        let frame = ItemFrame(call: stream.call, payloadBytes: item.encodedByteCount)
        guard frame.byteCount <= peerFrameBytesMax else {
            return .failed(
                ServiceError(
                    .resourceExhausted, detail: "an item is over the peer's frame limit"))
        }
        switch stream.credit?.depart() ?? .over {
        case .noCredit: return .noCredit
        case .over: return .failed(ServiceError(.cancelled))
        case .sent:
            frame.write(item, to: &out)
            flushSoon()
            return .sent
        }
    }

    func sendEnd(of stream: CallStream) {
        guard stream.credit?.endOutgoing() == true else { return }
        FrameWriter.writeEnd(call: stream.call, to: &out)
        flushSoon()
    }

    func consumed(_ count: Int, byteCount: Int, of stream: CallStream) {
        inboundItemBytes -= byteCount
        guard count > 0 else { return }
        guard let items = stream.credit?.consumed(UInt32(clamping: count)), items > 0 else {
            return
        }
        FrameWriter.writeCredit(call: stream.call, items: items, to: &out)
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
