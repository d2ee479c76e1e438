import Messages
import NIOCore
import ServiceRuntime

/// Where one side of a call writes its items.
package struct OutgoingItems<Item: Sendable>: Sendable {
    typealias Attempt = @Sendable (Item) -> OutgoingAttempt

    /// Sends an item over a wire, if it may go now. The rest of what follows is for when it may not,
    /// or for the way through this process; side by side and no enum, which each item would copy.
    private let attempt: Attempt
    private let stream: CallStream?
    private let user: StreamUser?
    private let pipe: ItemPipe<Item>?

    /// A way through this process.
    init(_ pipe: ItemPipe<Item>) {
        attempt = { _ in .later([]) }
        (stream, user) = (nil, nil)
        self.pipe = pipe
    }

    init(_ stream: CallStream, user: StreamUser?, _ attempt: @escaping Attempt) {
        self.attempt = attempt
        self.stream = stream
        self.user = user
        pipe = nil
    }

    /// Sends an item: at once while the peer has granted it and takes what it is sent, otherwise
    /// when it does. On the connection's loop a write that need not wait does not suspend.
    /// - Throws: `ServiceError`: the call is over, or the item is over the peer's frame limit.
    ///
    /// It runs where its caller does: looking for the executor again would cost more than packing.
    package nonisolated(nonsending) func write(_ item: Item) async throws {
        switch attempt(item) {
        case .sent: return
        case .failed(let error): throw error
        case .later(let bytes):
            try await stream?.send(bytes)
            try await pipe?.write(item)
        }
    }

    /// Tells the other side that there are no more items. A server need not: the end of its
    /// handler tells it.
    package func finish() {
        stream?.onLoop { $0.finish() }
        pipe?.finish()
    }
}

/// What the first attempt to send an item came to.
enum OutgoingAttempt {
    case sent
    case failed(ServiceError)
    /// These bytes have to wait.
    case later([UInt8])
}

extension OutgoingItems where Item: ProtobufMessage {
    init(_ stream: CallStream, user: StreamUser? = nil) {
        self.init(stream, user: user) { stream.attempt($0) }
    }
}

extension CallStream {
    /// Encodes an item straight into what goes out, or into bytes of its own when it has to wait.
    func attempt(_ item: some WireEncoded) -> OutgoingAttempt {
        guard loop.inEventLoop else { return .later(item.encoded()) }
        switch sendNow(item) {
        case .sent: return .sent
        case .failed(let error): return .failed(error)
        case .noCredit, .noRoom: return .later(item.encoded())
        }
    }
}
