import Messages
import NIOCore
import ServiceRuntime

/// The items that one side of a call writes.
package struct OutgoingItems<Item: Sendable>: Sendable {
    typealias Attempt = @Sendable (Item) -> CallStream.Attempt

    /// Sends an item over a connection, if it can be sent now. The other properties serve the case
    /// that it cannot, and in-process calls. They are separate properties and not an enum, because
    /// an enum would be copied for each item.
    private let attempt: Attempt
    private let stream: CallStream?
    private let user: CallStream.User?
    private let pipe: ItemPipe<Item>?

    /// Writes to an in-process pipe.
    init(_ pipe: ItemPipe<Item>) {
        attempt = { _ in .later([]) }
        (stream, user) = (nil, nil)
        self.pipe = pipe
    }

    init(_ stream: CallStream, user: CallStream.User?, _ attempt: @escaping Attempt) {
        self.attempt = attempt
        self.stream = stream
        self.user = user
        pipe = nil
    }

    /// Sends an item: at once while there is credit and outbound buffer capacity, otherwise as soon
    /// as there is. On the connection's loop a write that need not wait does not suspend.
    /// - Throws: `ServiceError` when the call has ended, or when the item exceeds the peer's frame
    ///   limit.
    ///
    /// It runs on the caller's executor: switching executors would cost more than encoding.
    package nonisolated(nonsending) func write(_ item: Item) async throws {
        switch attempt(item) {
        case .sent: return
        case .failed(let error): throw error
        case .later(let bytes):
            try await stream?.send(bytes)
            try await pipe?.write(item)
        }
    }

    /// Ends the items of this side. A server need not call it: the return of its handler ends them.
    package func finish() {
        stream?.onLoop { $0.finish() }
        pipe?.finish()
    }
}

extension OutgoingItems where Item: ProtobufMessage {
    init(_ stream: CallStream, user: CallStream.User? = nil) {
        self.init(stream, user: user) { stream.attempt($0) }
    }
}

extension CallStream {
    /// Encodes an item directly into the outgoing buffer, or into its own array when it has to
    /// wait.
    func attempt(_ item: some WireEncoded) -> CallStream.Attempt {
        guard loop.inEventLoop else { return .later(item.encoded()) }
        switch sendNow(item) {
        case .sent: return .sent
        case .failed(let error): return .failed(error)
        case .noCredit, .bufferFull: return .later(item.encoded())
        }
    }
}
