import Messages
import NIOCore
import ServiceRuntime

/// Where one side of a call writes its items.
package struct OutgoingItems<Item: Sendable>: Sendable {
    typealias Send = @Sendable (CallStream, Item) -> OutgoingAttempt

    private enum Way: Sendable {
        case wire(CallStream, Send, StreamUser?)
        case pipe(ItemPipe<Item>)
    }

    private let way: Way

    /// A way through this process.
    init(_ pipe: ItemPipe<Item>) {
        way = .pipe(pipe)
    }

    init(_ stream: CallStream, user: StreamUser?, _ send: @escaping Send) {
        way = .wire(stream, send, user)
    }

    /// Sends an item: at once while the peer has granted it and takes what it is sent, otherwise
    /// when it does. On the connection's loop a write that need not wait does not suspend.
    /// - Throws: `ServiceError`: the call is over, or the item is over the peer's frame limit.
    package func write(_ item: Item) async throws {
        switch way {
        case .wire(let stream, let send, _):
            switch send(stream, item) {
            case .sent: return
            case .failed(let error): throw error
            case .later(let bytes): try await stream.send(bytes)
            }
        case .pipe(let pipe): try await pipe.write(item)
        }
    }

    /// Tells the other side that there are no more items. A server need not: the end of its
    /// handler tells it.
    package func finish() {
        switch way {
        case .wire(let stream, _, _): stream.onLoop { $0.finish() }
        case .pipe(let pipe): pipe.finish()
        }
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
        self.init(stream, user: user) { $0.attempt($1) }
    }
}

extension CallStream {
    /// Packs a message straight into what goes out, or into bytes of its own when it has to wait.
    func attempt(_ item: some ProtobufMessage) -> OutgoingAttempt {
        guard loop.inEventLoop, let carrier else { return .later(item.encoded()) }
        return item.withPacked(in: carrier.arena) { attempt(.packed($0)) }
    }

    /// The same for an item that is packed.
    func attempt(_ item: ItemPayload) -> OutgoingAttempt {
        guard loop.inEventLoop else { return .later(item.copy) }
        switch sendNow(item) {
        case .sent: return .sent
        case .failed(let error): return .failed(error)
        case .noCredit, .noRoom: return .later(item.copy)
        }
    }
}
