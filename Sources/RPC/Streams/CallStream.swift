import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// The streams of one call, on either side: what came and is not taken, and who waits to take or
/// to send. The connection's machine keeps the credit; this keeps the data.
///
///     not begun ──begin──▶ running ──end──▶ over
///
/// What came before the end is still given out; then readers learn of the end, and writers at once.
final class CallStream: @unchecked Sendable {
    // `@unchecked`: but for the constants and `isOver`, everything is touched on `loop` alone; what
    // can be called from elsewhere (CallStream+Waiting.swift) goes there first.

    /// How the call ended.
    enum Ending: Sendable {
        /// With this answer.
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
    /// Gives the call up; set by a client, whose user may.
    var giveUp: (() -> Void)?
    /// Told that an item has come: for a reader on the loop that is no task.
    var onItem: (() -> Void)?
    /// In the queue of those that wait for room.
    var isQueuedForRoom = false
    /// The call has ended: there is nothing to give up.
    let isOver = Atomic(false)
    private(set) var carrier: (any StreamCarrier)?
    private(set) var call: UInt64 = 0
    /// What may go either way; nil before it begins.
    private(set) var credit: StreamCredit?
    private(set) var ending: Ending? { didSet { look() } }
    var inbox = ItemInbox()
    var readers: [Reader] = []
    /// Tasks that wait for the end alone.
    var mourners: [Reader] = []
    var writers = CircularBuffer<Writer>(initialCapacity: 0) { didSet { look() } }
    private(set) var isIncomingEnded = false
    private var isEndWanted = false { didSet { look() } }
    /// Neither an end nor an item that waits bars the next item's way. Kept, since every item asks.
    private var isClear = false

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// A connection carries it now, as `call`.
    func begin(_ carrier: any StreamCarrier, as call: UInt64, _ credit: StreamCredit) {
        guard ending == nil else { return }
        self.carrier = carrier
        self.call = call
        self.credit = credit
        look()
        pump()
    }

    // MARK: From the connection

    /// An item came.
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

    /// The call is over: its last word was said or heard.
    func end(_ ending: Ending) {
        guard self.ending == nil else { return }
        self.ending = ending
        isOver.store(true, ordering: .releasing)
        // What was not taken is its reader's from here on, and no burden of the connection.
        carrier?.consumed(0, byteCount: inbox.byteCount, of: self)
        carrier = nil
        giveUp = nil
        if case .failed(let error) = ending, error.code == .cancelled { inbox.clear() }
        wakeReaders()
        for mourner in mourners { mourner.wake.resume() }
        mourners = []
        while let writer = writers.popFirst() { writer.wake.resume(throwing: overError) }
    }

    private func wakeReaders() {
        let readers = readers
        self.readers = []
        for reader in readers { reader.wake.resume() }
    }

    /// What a writer is told who comes too late.
    var overError: ServiceError {
        if case .failed(let error) = ending { return error }
        return ServiceError(.cancelled, detail: "an item after the end of its call")
    }

    // MARK: Sending

    /// Sends an item if it may go now. No item overtakes one that waits.
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

    /// Sends what waits, as far as it may go.
    func pump() {
        while let first = writers.first, let carrier {
            switch carrier.send(first.item, of: self) {
            case .sent: first.wake.resume()
            case .failed(let error): first.wake.resume(throwing: error)
            case .noCredit: return
            case .noRoom: return carrier.waitForRoom(self)
            }
            writers.removeFirst()
            carrier.wokeWriter()
        }
        if isEndWanted, writers.isEmpty { carrier?.sendEnd(of: self) }
    }

    /// Sends the end of our side, behind the items that wait.
    func finish() {
        guard ending == nil, !isEndWanted else { return }
        isEndWanted = true
        pump()
    }
}
