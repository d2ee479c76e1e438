import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// The items that the other side of a call sends, in order. Taking items grants new credit, so a
/// slow consumer delays only its own stream.
///
/// The sequence ends after the other side's last item; it throws a `ServiceError` when the call
/// failed. At a client, cancelling the waiting task or releasing the sequence abandons the call.
/// There may be one consumer at a time; a second one continues where the first stopped.
package struct IncomingItems<Item: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the items.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// The next item; nil after the last.
        /// - Throws: `ServiceError`.
        package nonisolated(nonsending) func next() async throws -> Item? {
            switch source {
            case .wire(let reader):
                if let item = reader.taken() { return item }
                return try await reader.next()
            case .pipe(let pipe, _): return try await pipe.next()
            }
        }

        /// The same, on the caller's actor.
        /// - Throws: `ServiceError`.
        package func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Item? {
            if case .wire(let reader) = source, let item = reader.taken() { return item }
            return try await next()
        }
    }

    fileprivate enum Source: Sendable {
        case wire(Reader)
        case pipe(ItemPipe<Item>, PipeUser<Item>?)
    }

    private let source: Source

    /// Starts or continues the iteration.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// The items that an in-process pipe carries.
    init(_ pipe: ItemPipe<Item>, _ user: PipeUser<Item>? = nil) {
        source = .pipe(pipe, user)
    }

    /// The items of `stream`, decoded by `decode`; `user` keeps a client's call alive.
    init(
        _ stream: CallStream, user: CallStream.User? = nil,
        _ decode: @escaping Reader.Decode
    ) {
        source = .wire(Reader(stream, user, decode))
    }

    /// Takes items from a stream in batches and returns them one by one.
    final class Reader: Sendable {
        typealias Decode = @Sendable (UnsafeRawBufferPointer, Arena) throws -> Item

        private let stream: CallStream
        private let user: CallStream.User?
        private let decode: Decode
        /// Items taken and not yet returned, in reverse order.
        private let batch = Mutex<[Item]>([])

        init(_ stream: CallStream, _ user: CallStream.User?, _ decode: @escaping Decode) {
            self.stream = stream
            self.user = user
            self.decode = decode
        }

        /// The next item of the current batch.
        func taken() -> Item? { batch.withLock { $0.popLast() } }

        nonisolated(nonsending) func next() async throws -> Item? {
            while true {
                if let item = taken() { return item }
                guard !Task.isCancelled else {
                    stream.onLoop { $0.giveUp?() }
                    throw ServiceError(.cancelled)
                }
                switch await fetch() {
                case .items(let items): batch.withLock { $0 = items }
                case .ended: return nil
                case .failed(let error): throw error
                case .nothing: await stream.waitForItems()
                }
            }
        }

        private nonisolated(nonsending) func fetch() async -> CallStream.Taken<Item> {
            if stream.loop.inEventLoop { return stream.take(decode) }
            return await withCheckedContinuation { continuation in
                stream.loop.execute { [stream, decode] in
                    continuation.resume(returning: stream.take(decode))
                }
            }
        }
    }
}

extension IncomingItems where Item: ProtobufMessage {
    init(_ stream: CallStream, user: CallStream.User? = nil) {
        guard user != nil else {
            self.init(stream) { try Item.decode($0, in: $1) }
            return
        }
        self.init(stream, user: user) { bytes, arena in
            try peersAnswer { try Item.decode(bytes, in: arena) }
        }
    }
}
