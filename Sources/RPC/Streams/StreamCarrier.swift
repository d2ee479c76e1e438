import Messages
import NIOCore
import ServiceRuntime

/// The result of trying to send an item.
enum Sending {
    case sent
    /// The credit is used up; the peer must grant more.
    case noCredit
    /// The outbound buffer is full; it must drain first.
    case noRoom
    case failed(ServiceError)
}

/// A connection, as the streams of its calls use it. Everything runs on its event loop.
protocol StreamCarrier: AnyObject {
    /// Memory for decoding, valid for the moment.
    var arena: Arena { get }
    /// Sends an item, if it can be sent now.
    func send(_ item: some WireEncoded, of stream: CallStream) -> Sending
    /// Sends the end of our items.
    func sendEnd(of stream: CallStream)
    /// Records that the consumer took `count` items of `byteCount` bytes.
    func consumed(_ count: Int, byteCount: Int, of stream: CallStream)
    /// Resumes `stream` when the outbound buffer has capacity; first come, first served.
    func waitForRoom(_ stream: CallStream)
    /// Records that a writer was woken. It is about to send more, so a flush can wait for it.
    func wokeWriter()
}

/// The streams that wait for outbound buffer capacity, first come, first served, so that none
/// starves.
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
