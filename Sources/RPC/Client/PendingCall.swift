import Messages
import ServiceRuntime

/// A response's payload, borrowed from the frame, with memory to decode it in. Valid only during
/// the callback.
struct BorrowedResponse {
    let payload: UnsafeRawBufferPointer
    let arena: Arena
}

/// A call that a client has started and that has not ended. Used on one event loop only.
final class PendingCall: StreamHolder {
    let request: OutgoingRequest
    let deadline: Duration
    /// Whether the deadline is that of a caller of this program.
    let isCallersDeadline: Bool
    /// Until when it waits for a connection.
    let connectDue: Duration
    /// Which sides send items.
    let streams: MethodDescription.Streams
    /// A follower, which has no end of its own.
    let isWatch: Bool
    /// The stream; nil for a unary call.
    let stream: CallStream?
    /// The connection that carries it and its id there, to cancel it.
    private(set) var carrier: (connection: ClientConnection, call: UInt64)?
    /// The frames that this connection had received when the call was sent.
    private(set) var framesBefore: UInt64 = 0
    /// The endpoint that the pool chose.
    var placement: ClientEndpoint.Placement?
    /// Whether the server itself ended the call.
    var isAnswered = false
    private var complete: ((Result<BorrowedResponse, ServiceError>) -> Void)?

    init(
        _ request: OutgoingRequest, deadline: Duration, isCallersDeadline: Bool = false,
        connectDue: Duration,
        streams: MethodDescription.Streams = .none, isWatch: Bool = false,
        stream: CallStream? = nil,
        complete: @escaping (Result<BorrowedResponse, ServiceError>) -> Void
    ) {
        self.request = request
        self.deadline = deadline
        self.isCallersDeadline = isCallersDeadline
        self.connectDue = connectDue
        self.streams = streams
        self.isWatch = isWatch
        self.stream = stream
        self.complete = complete
    }

    /// Whether it has ended.
    var isOver: Bool { complete == nil }

    /// A connection has sent it with id `call`; `credit` is that of its streams.
    func sent(on connection: ClientConnection, as call: UInt64, _ credit: StreamCredit?) {
        carrier = (connection, call)
        framesBefore = connection.silence.frames
        if let credit { stream?.begin(connection, as: call, credit) }
    }

    /// Ends the call; only the first end of a call has an effect.
    func end(_ result: Result<BorrowedResponse, ServiceError>) {
        guard let complete else { return }
        self.complete = nil
        placement?.ended(result, of: self)
        carrier = nil
        complete(result)
    }

    func fail(_ error: ServiceError) { end(.failure(error)) }
}

/// Decodes a peer's response. A response that does not decode is the peer's fault, so it is an
/// internal error: a handler that forwards the error must not report to its own caller that the
/// caller's request was wrong.
/// - Throws: `rpc/internal` in place of a `MessageError`; any other error as thrown by `decode`.
func peersAnswer<Message>(_ decode: () throws -> Message) throws -> Message {
    do {
        return try decode()
    } catch let error as MessageError {
        throw ServiceError(.internalError, detail: "a peer's answer does not decode: \(error)")
    }
}
