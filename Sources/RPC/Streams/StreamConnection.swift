import Messages
import NIOCore
import ServiceRuntime

/// The state that a connection stores for a call, with its stream if it has one.
protocol StreamHolder {
    var stream: CallStream? { get }
}

/// How a connection, at either side, carries the streams of its calls. Incoming frames pass the
/// call machine and reach the call's stream; outgoing frames are appended to the buffer of the next
/// flush.
protocol StreamConnection: StreamCarrier {
    associatedtype Machine: StreamMachine where Machine.Handle: StreamHolder

    var machine: Machine { get set }
    /// The outgoing bytes that collect for the next flush.
    var out: ByteBuffer { get set }
    /// Largest frame that the peer accepts, in bytes.
    var peerFrameBytesMax: Int { get }
    /// Whether the peer reads what it is sent.
    var isPeerTaking: Bool { get }
    /// Bytes of items that have arrived and are not yet consumed.
    var inboundItemBytes: Int { get set }
    var capacityQueue: CallStream.CapacityQueue { get set }
    var isWriterWoken: Bool { get set }

    /// Closes the connection because the peer violated the protocol.
    /// - Returns: false: the remaining bytes must not be read.
    func violated(_ message: String) -> Bool
    /// Ends with `error` a call that has ended in the machine; notifies its waiting tasks and the
    /// peer.
    func stop(_ call: UInt64, _ handle: Machine.Handle?, _ error: ServiceError)
    /// Sends the collected bytes.
    func flush()
    /// The same, except while frames are being read: the end of the read flushes.
    func flushSoon()
}

// MARK: From the peer

extension StreamConnection {
    /// Handles an Item frame.
    /// - Returns: false when the remaining bytes must not be read.
    func item(_ head: Envelope.Item, _ bytes: UnsafeRawBufferPointer) -> Bool {
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
        _ head: Envelope.Item, _ bytes: UnsafeRawBufferPointer, to stream: CallStream
    ) {
        let before = stream.inbox.byteCount
        head.payload.withBytes(in: bytes) { stream.deliver($0) }
        inboundItemBytes += stream.inbox.byteCount - before
        guard inboundItemBytes > FrameLimits.inboundItemBytesMax else { return }
        let most = callHoldingMost(from: stream)
        let ended = machine.giveUp(most)
        stop(
            most, ended,
            ServiceError(.resourceExhausted, detail: "too many bytes of unconsumed items"))
        // Its reader may be stalled for long, and these bytes are no longer counted.
        ended?.stream?.inbox.clear()
    }

    /// The call with the most unconsumed bytes. Attack: somebody stalls a few downloads, and the
    /// next item of each other user's stream on this connection ends that stream.
    private func callHoldingMost(from arrived: CallStream) -> UInt64 {
        var (most, held) = (arrived.call, arrived.inbox.byteCount)
        machine.forEachRunning { call, handle in
            // Of equals another than the one whose item arrives, which may be read at this moment.
            guard let stream = handle.stream, stream !== arrived, stream.ending == nil,
                stream.inbox.byteCount >= held
            else { return }
            (most, held) = (call, stream.inbox.byteCount)
        }
        return most
    }

    /// Handles a Credit frame.
    /// - Returns: false when the remaining bytes must not be read.
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
    func send(_ item: some WireEncoded, of stream: CallStream) -> CallStream.Sending {
        guard isPeerTaking, out.readableBytes < FrameLimits.outboundFlushBytes else {
            return .bufferFull
        }
        let byteCount = FrameWriter.itemBytes(
            call: stream.call, payloadBytes: item.encodedByteCount)
        guard byteCount <= peerFrameBytesMax else {
            return .failed(
                ServiceError(
                    .resourceExhausted, detail: "an item exceeds the peer's frame limit"))
        }
        switch stream.credit?.depart() ?? .over {
        case .noCredit: return .noCredit
        case .over: return .failed(ServiceError(.cancelled))
        case .sent:
            FrameWriter.writeItem(call: stream.call, item, to: &out, byteCount: byteCount)
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

    func waitForCapacity(_ stream: CallStream) { capacityQueue.add(stream) }

    func wokeWriter() { isWriterWoken = true }

    // MARK: Writing

    /// Flushes after a read. A writer that was woken by the read runs next and sends more, so the
    /// flush waits for it: one flush for both.
    func flushAfterRead() {
        guard isWriterWoken else { return flush() }
        isWriterWoken = false
        flushSoon()
    }

    /// The outbound buffer has capacity again: resumes the waiting writers, first come, first
    /// served.
    func letWritersGo() {
        while isPeerTaking, out.readableBytes < FrameLimits.outboundFlushBytes,
            let stream = capacityQueue.next()
        {
            stream.pump()
        }
        if out.readableBytes > 0 { flushSoon() }
    }
}

extension ServiceError {
    /// The error of a call whose peer misused its stream.
    init(_ fault: StreamFlow.Fault) {
        switch fault {
        case .overCredit: self.init(.resourceExhausted, detail: "an item exceeds its credit")
        case .afterEnd: self.init(.invalidArgument, detail: "an item after the end")
        }
    }
}

/// A connection, as the streams of its calls use it. Everything runs on its event loop.
protocol StreamCarrier: AnyObject {
    /// Memory for decoding, valid for the moment.
    var arena: Arena { get }
    /// Sends an item, if it can be sent now.
    func send(_ item: some WireEncoded, of stream: CallStream) -> CallStream.Sending
    /// Sends the end of our items.
    func sendEnd(of stream: CallStream)
    /// Records that the consumer took `count` items of `byteCount` bytes.
    func consumed(_ count: Int, byteCount: Int, of stream: CallStream)
    /// Resumes `stream` when the outbound buffer has capacity; first come, first served.
    func waitForCapacity(_ stream: CallStream)
    /// Records that a writer was woken. It is about to send more, so a flush can wait for it.
    func wokeWriter()
}
