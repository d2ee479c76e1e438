import Messages
import ServiceRuntime

/// An answer's payload as it lies in the frame, and memory to decode it in; for the moment only.
struct BorrowedResponse {
    let payload: UnsafeRawBufferPointer
    let arena: Arena
}

/// A call that a client has begun and that has not ended; lives on one event loop.
final class PendingCall: StreamHolder {
    let request: OutgoingRequest
    let deadline: Duration
    /// What a caller of this program left of its own time, when the call began; nil where this
    /// program chose the deadline.
    let callersTime: Duration?
    /// Until when it waits for a connection.
    let connectDue: Duration
    /// Which sides send items.
    let streams: MethodDescription.Streams
    /// A follower, which has no end of its own.
    let isWatch: Bool
    /// The items; nil for a unary call.
    let stream: CallStream?
    /// What carries it, and its number there, so that a cancel finds it.
    private(set) var carrier: (connection: ClientConnection, call: UInt64)?
    /// Where the pool put it.
    var placement: Placement?
    /// The server itself has said how it ends.
    var isAnswered = false
    private var complete: ((Result<BorrowedResponse, ServiceError>) -> Void)?

    init(
        _ request: OutgoingRequest, deadline: Duration, callersTime: Duration? = nil,
        connectDue: Duration,
        streams: MethodDescription.Streams = .none, isWatch: Bool = false,
        stream: CallStream? = nil,
        complete: @escaping (Result<BorrowedResponse, ServiceError>) -> Void
    ) {
        self.request = request
        self.deadline = deadline
        self.callersTime = callersTime
        self.connectDue = connectDue
        self.streams = streams
        self.isWatch = isWatch
        self.stream = stream
        self.complete = complete
    }

    /// Whether it has ended.
    var isOver: Bool { complete == nil }

    /// A connection has sent it as `call`; `credit` is its streams'.
    func sent(on connection: ClientConnection, as call: UInt64, _ credit: StreamCredit?) {
        carrier = (connection, call)
        if let credit { stream?.begin(connection, as: call, credit) }
    }

    /// Ends the call; the second and later ends of one call do nothing.
    func end(_ result: Result<BorrowedResponse, ServiceError>) {
        guard let complete else { return }
        self.complete = nil
        carrier = nil
        placement?.ended(result, isAnswered: isAnswered, callersTime: callersTime)
        complete(result)
    }

    func fail(_ error: ServiceError) { end(.failure(error)) }
}
