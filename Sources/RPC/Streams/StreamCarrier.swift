import Messages
import NIOCore
import ServiceRuntime

/// What became of an item that is to be sent.
enum Sending {
    case sent
    /// The peer has to grant more first.
    case noCredit
    /// What waits for the peer has to go first.
    case noRoom
    case failed(ServiceError)
}

/// A connection as the streams of its calls see it. Everything on its event loop.
protocol StreamCarrier: AnyObject {
    /// Memory to unpack in, for the moment.
    var arena: Arena { get }
    /// Sends an item, if it may be sent now.
    func send(_ item: some WireEncoded, of stream: CallStream) -> Sending
    /// Sends the last word of our side.
    func sendEnd(of stream: CallStream)
    /// `count` items of `byteCount` were taken by their consumer.
    func consumed(_ count: Int, byteCount: Int, of stream: CallStream)
    /// Lets `stream` go on when there is room; in the order of their coming.
    func waitForRoom(_ stream: CallStream)
    /// A writer was woken and will have more to send: a flush can wait for it.
    func wokeWriter()
}

/// Who waits for room, in the order of their coming, so that none starves.
struct RoomQueue {
    private var streams = CircularBuffer<CallStream>()

    var isEmpty: Bool { streams.isEmpty }

    mutating func add(_ stream: CallStream) {
        guard !stream.isQueuedForRoom else { return }
        stream.isQueuedForRoom = true
        streams.append(stream)
    }

    mutating func next() -> CallStream? {
        let next = streams.popFirst()
        next?.isQueuedForRoom = false
        return next
    }
}
