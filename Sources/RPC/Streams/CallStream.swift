import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// The streams of one call, at either side: the items that arrived and are not yet taken, and the
/// tasks that wait to take or to send. The connection's call machine holds the credit; this class
/// holds the data.
///
///     not begun ──begin──▶ running ──end──▶ over
///
/// Items that arrived before the end can still be taken; readers see the end after them. Writers
/// fail at once.
final class CallStream: @unchecked Sendable {
    // `@unchecked`: except for the constants and `isOver`, everything is accessed on `loop` only.
    // The methods that may be called from other threads (CallStream+Waiting.swift) switch to it
    // first.

    /// How the call ended.
    enum Ending: Sendable {
        /// With this response.
        case answered([UInt8])
        case failed(ServiceError)
    }

    /// A task that waits to take items.
    struct Reader {
        let ticket: StreamTicket
        let wake: CheckedContinuation<Void, Never>
    }

    /// A task that waits to send an item.
    struct Writer {
        let ticket: StreamTicket
        let item: [UInt8]
        let wake: CheckedContinuation<Void, any Error>
    }

    let loop: any EventLoop
    /// Abandons the call; set at a client, whose user may do so.
    var giveUp: (() -> Void)?
    /// Called when an item has arrived, for a reader on the loop that is not a task.
    var onItem: (() -> Void)?
    /// Whether it is in the queue of streams that wait for outbound buffer capacity.
    var isQueuedForCapacity = false
    /// The call has ended, so there is nothing to abandon.
    let isOver = Atomic(false)
    private(set) var carrier: (any StreamCarrier)?
    private(set) var call: UInt64 = 0
    /// The credit of both directions; nil before the call begins.
    private(set) var credit: StreamCredit?
    private(set) var ending: Ending? { didSet { look() } }
    var inbox = ItemInbox()
    var readers: [Reader] = []
    /// Tasks that wait for the end only.
    var endWaiters: [Reader] = []
    var writers = CircularBuffer<Writer>(initialCapacity: 0) { didSet { look() } }
    private(set) var isIncomingEnded = false
    private var isEndWanted = false { didSet { look() } }
    /// Whether the next item may be sent, because no end and no waiting item precedes it. Cached,
    /// since every item checks it.
    private var isClear = false

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// A connection now carries the stream, as `call`.
    func begin(_ carrier: any StreamCarrier, as call: UInt64, _ credit: StreamCredit) {
        guard ending == nil else { return }
        self.carrier = carrier
        self.call = call
        self.credit = credit
        look()
        pump()
    }

    // MARK: From the connection

    /// An item arrived.
    func deliver(_ payload: UnsafeRawBufferPointer) {
        inbox.add(payload)
        if !readers.isEmpty { readers.removeFirst().wake.resume() }
        onItem?()
    }

    /// The peer has sent its last item.
    func endIncoming() {
        isIncomingEnded = true
        wakeReaders()
    }

    /// The call has ended.
    func end(_ ending: Ending) {
        guard self.ending == nil else { return }
        self.ending = ending
        isOver.store(true, ordering: .releasing)
        // Items that were not taken now belong to their reader only and no longer count against the
        // connection's limit.
        carrier?.consumed(0, byteCount: inbox.byteCount, of: self)
        carrier = nil
        giveUp = nil
        if case .failed(let error) = ending, error.code == .cancelled { inbox.clear() }
        wakeReaders()
        for waiter in endWaiters { waiter.wake.resume() }
        endWaiters = []
        while let writer = writers.popFirst() { writer.wake.resume(throwing: overError) }
    }

    private func wakeReaders() {
        let readers = readers
        self.readers = []
        for reader in readers { reader.wake.resume() }
    }

    /// The error for a write after the end.
    var overError: ServiceError {
        if case .failed(let error) = ending { return error }
        return ServiceError(.cancelled, detail: "the item was sent after the end of its call")
    }

    // MARK: Sending

    /// Sends an item if it can be sent now. No item overtakes one that waits.
    func sendNow(_ item: some WireEncoded) -> Sending {
        guard isClear, let carrier else { return barred }
        return carrier.send(item, of: self)
    }

    private var barred: Sending {
        ending != nil || isEndWanted ? .failed(overError) : .noCredit
    }

    private func look() {
        isClear = writers.isEmpty && !isEndWanted && ending == nil
    }

    /// Sends the waiting items, as far as credit and buffer capacity allow.
    func pump() {
        while let first = writers.first, let carrier {
            switch carrier.send(first.item, of: self) {
            case .sent: first.wake.resume()
            case .failed(let error): first.wake.resume(throwing: error)
            case .noCredit: return
            case .bufferFull: return carrier.waitForCapacity(self)
            }
            writers.removeFirst()
            carrier.wokeWriter()
        }
        if isEndWanted, writers.isEmpty { carrier?.sendEnd(of: self) }
    }

    /// Sends the end of our side, after the waiting items.
    func finish() {
        guard ending == nil, !isEndWanted else { return }
        isEndWanted = true
        pump()
    }
}

/// One wait on a stream. It can be cancelled from any thread, before the wait begins or later.
final class StreamTicket: Sendable {
    let isCancelled = Atomic(false)
}

/// Represents all holders of a client's end of a stream: when the last reference is released, the
/// call is abandoned.
final class StreamUser: Sendable {
    let stream: CallStream

    init(_ stream: CallStream) {
        self.stream = stream
    }

    deinit {
        guard !stream.isOver.load(ordering: .acquiring) else { return }
        stream.loop.execute { [stream] in stream.giveUp?() }
    }
}
