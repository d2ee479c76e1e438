import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// The items that the other side of a call sends, in order. What is taken is granted again, so a
/// consumer that stops holds up its own stream and nothing else.
///
/// Ends when the other side has sent its last; throws a `ServiceError` when the call failed.
/// On the client's side cancelling the task that waits, or letting go of the sequence, gives the
/// call up. One consumer at a time; a second goes on where the first stopped.
package struct IncomingItems<Item: Sendable>: AsyncSequence, Sendable {
    /// Gives out the items.
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

        /// The same, where the caller runs.
        package func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Item? {
            if case .wire(let reader) = source, let item = reader.taken() { return item }
            return try await next()
        }
    }

    fileprivate enum Source: Sendable {
        case wire(ItemReader<Item>)
        case pipe(ItemPipe<Item>, PipeUser<Item>?)
    }

    private let source: Source

    /// Begins, or goes on, to give out the items.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// The items that a pipe in this process carries.
    init(_ pipe: ItemPipe<Item>, _ user: PipeUser<Item>? = nil) {
        source = .pipe(pipe, user)
    }

    /// The items of `stream`, decoded by `decode`; `user` keeps a client's call alive.
    init(
        _ stream: CallStream, user: StreamUser? = nil,
        _ decode: @escaping ItemReader<Item>.Decode
    ) {
        source = .wire(ItemReader(stream, user, decode))
    }
}

extension IncomingItems where Item: ProtobufMessage {
    init(_ stream: CallStream, user: StreamUser? = nil) {
        guard user != nil else {
            self.init(stream) { try Item(decoding: $0, in: $1) }
            return
        }
        self.init(stream, user: user) { bytes, arena in
            try peersAnswer { try Item(decoding: bytes, in: arena) }
        }
    }
}

/// Takes items from a stream in batches, and gives them out one by one.
final class ItemReader<Item: Sendable>: Sendable {
    typealias Decode = @Sendable (UnsafeRawBufferPointer, Arena) throws -> Item

    private let stream: CallStream
    private let user: StreamUser?
    private let decode: Decode
    /// Taken and not given out, the last first.
    private let batch = Mutex<[Item]>([])

    init(_ stream: CallStream, _ user: StreamUser?, _ decode: @escaping Decode) {
        self.stream = stream
        self.user = user
        self.decode = decode
    }

    /// The next of the items that were taken before.
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
            case .nothing: await stream.news()
            }
        }
    }

    private nonisolated(nonsending) func fetch() async -> TakenItems<Item> {
        if stream.loop.inEventLoop { return stream.take(decode) }
        return await withCheckedContinuation { continuation in
            stream.loop.execute { [stream, decode] in
                continuation.resume(returning: stream.take(decode))
            }
        }
    }
}
