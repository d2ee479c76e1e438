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
        let ticket: Ticket
        let wake: CheckedContinuation<Void, Never>
    }

    /// A task that waits to send an item.
    struct Writer {
        let ticket: Ticket
        let item: [UInt8]
        let wake: CheckedContinuation<Void, any Error>
    }

    let loop: any EventLoop
    /// Abandons the call; set at a client, whose user may do so.
    var giveUp: (() -> Void)?
    /// Called when an item has arrived, for a reader on the loop that is not a task.
    var onItem: (() -> Void)?
    /// At a server: the application whose token began the call, so that the stream ends with the
    /// application's right to call.
    var tokenCaller: Caller?
    /// Whether it is in the queue of streams that wait for outbound buffer capacity.
    var isQueuedForCapacity = false
    /// The call has ended, so there is nothing to abandon.
    let isOver = Atomic(false)
    private(set) var carrier: (any StreamCarrier)?
    private(set) var call: UInt64 = 0
    /// The credit of both directions; nil before the call begins.
    private(set) var credit: StreamCredit?
    private(set) var ending: Ending? { didSet { look() } }
    var inbox = Inbox()
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

extension CallStream {
    /// The result of taking items from a stream.
    enum Taken<Item: Sendable>: Sendable {
        /// In reverse order.
        case items([Item])
        case nothing
        case ended
        case failed(ServiceError)
    }

    /// The result of trying to send an item.
    enum Sending {
        case sent
        /// The credit is used up; the peer must grant more.
        case noCredit
        /// The outbound buffer is full; it must drain first.
        case bufferFull
        case failed(ServiceError)
    }

    /// The result of the first attempt to send an item.
    enum Attempt {
        case sent
        case failed(ServiceError)
        /// These encoded bytes have to wait.
        case later([UInt8])
    }

    /// One wait on a stream. It can be cancelled from any thread, before the wait begins or later.
    final class Ticket: Sendable {
        let isCancelled = Atomic(false)
    }

    /// Represents all holders of a client's end of a stream: when the last reference is released,
    /// the call is abandoned.
    final class User: Sendable {
        let stream: CallStream

        init(_ stream: CallStream) {
            self.stream = stream
        }

        deinit {
            guard !stream.isOver.load(ordering: .acquiring) else { return }
            stream.loop.execute { [stream] in stream.giveUp?() }
        }
    }

    /// Items that arrived and were not yet taken: their bytes in one buffer, each item after its
    /// length. They stay encoded, since a hostile message can grow a hundredfold when it is
    /// decoded.
    struct Inbox {
        private var bytes: ByteBuffer?
        private(set) var count = 0

        /// Bytes held.
        var byteCount: Int { bytes?.readableBytes ?? 0 }

        /// Bytes of memory, for tests.
        var capacity: Int { bytes?.capacity ?? 0 }

        mutating func add(_ payload: UnsafeRawBufferPointer) {
            var buffer = bytes.take() ?? ByteBuffer()
            buffer.writeInteger(UInt32(truncatingIfNeeded: payload.count))
            buffer.writeBytes(payload)
            bytes = buffer
            count += 1
        }

        /// Takes up to `max` items, each decoded by `decode`, in reverse order: no more after
        /// `bytesMax` bytes of them. If an item does not decode, the items before it are returned
        /// and it stays at the front.
        /// - Throws: the error of `decode` when the first item does not decode.
        mutating func take<Item>(
            max: Int, bytes bytesMax: Int, _ decode: (UnsafeRawBufferPointer) throws -> Item
        ) throws -> [Item] {
            guard var buffer = bytes.take() else { return [] }
            let rest = buffer.readableBytes - bytesMax
            var items: [Item] = []
            items.reserveCapacity(Swift.min(max, count))
            defer {
                count -= items.count
                // While others wait, the buffer would keep all items that ever arrived.
                if buffer.readerIndex > buffer.readableBytes { buffer.discardReadBytes() }
                bytes = count == 0 ? nil : buffer
            }
            while items.count < Swift.min(max, count), items.isEmpty || buffer.readableBytes > rest
            {
                let before = buffer
                guard let length = buffer.readInteger(as: UInt32.self),
                    let item = buffer.readSlice(length: Int(length))
                else { break }
                do {
                    items.append(try item.withUnsafeReadableBytes(decode))
                } catch {
                    buffer = before
                    if items.isEmpty { throw error }
                    break
                }
            }
            items.reverse()
            return items
        }

        /// Drops the items that will not be taken.
        mutating func clear() {
            bytes = nil
            count = 0
        }
    }

    /// The streams that wait for outbound buffer capacity, first come, first served, so that none
    /// starves.
    struct CapacityQueue {
        private var streams = CircularBuffer<CallStream>()

        var isEmpty: Bool { streams.isEmpty }

        mutating func add(_ stream: CallStream) {
            guard !stream.isQueuedForCapacity else { return }
            stream.isQueuedForCapacity = true
            streams.append(stream)
        }

        mutating func next() -> CallStream? {
            let next = streams.popFirst()
            next?.isQueuedForCapacity = false
            return next
        }
    }
}
