import Cryptography
import Messages
import NIOCore
import ServiceRuntime

/// Handlers of methods that another service implements: they pass the call's bytes on and answer
/// with the bytes that come back. Nothing is decoded.
extension MethodHandler {
    /// How a call is passed on.
    package enum Relayed: Sendable {
        /// At once, on the connection's event loop, without a task.
        case now(any PackedChannel, CallContext)
        /// After other work.
        case after(@Sendable () async throws -> [UInt8])
    }

    /// A handler that passes a unary call on.
    /// - Parameter relay: Decides how, on the connection's event loop. It may not wait.
    package static func relay(
        _ method: MethodDescription,
        _ relay: @escaping @Sendable (OutgoingRequest.Payload, CallContext) throws -> Relayed
    ) -> MethodHandler {
        precondition(method.streams == .none, "the handler's kind is the method's")
        return MethodHandler(
            method: method,
            kind: .async { bytes, context, call in
                let payload = OutgoingRequest.Payload(copying: bytes, of: method)
                switch try relay(payload, context) {
                case .now(let channel, let onward):
                    // Another channel has no event loop.
                    let passed = (channel as? RPCClient)?.pass(method, payload, onward) {
                        switch $0 {
                        case .success(let answer): call.finish(BorrowedBytes(answer.payload))
                        case .failure(let error): call.fail(error)
                        }
                    }
                    if let passed { return .passed(passed) }
                    return call.answer {
                        try await channel.call(method, packed: payload, onward)
                    }
                case .after(let answer): return call.answer(answer)
                }
            },
            local: { local in
                let payload = OutgoingRequest.Payload.plain(local.request)
                switch try relay(payload, local.context) {
                case .now(let channel, let onward):
                    return try await channel.call(method, packed: payload, onward)
                case .after(let answer): return try await answer()
                }
            })
    }

    /// A handler that passes a call with streams on.
    /// - Parameter relay: Makes the owner's call, and passes both sides' items on
    ///   (`RelayedStream.relay`).
    package static func relayStream(
        _ method: MethodDescription,
        _ relay: @escaping @Sendable (RelayedStream) async throws -> [UInt8]
    ) -> MethodHandler {
        precondition(method.streams != .none, "the handler's kind is the method's")
        return MethodHandler(
            method: method,
            kind: .async { bytes, context, call in
                let stream =
                    method.streams.hasRequestItems
                    ? try call.ownStream(without: bytes) : try call.ownStream
                let relayed = RelayedStream(
                    request: Array(bytes), context: context, streams: method.streams,
                    incoming: IncomingItems<[UInt8]>(packed: stream),
                    outgoing: OutgoingItems<[UInt8]>(stream, user: nil) { stream.attempt($0) })
                guard method.streams.hasResponseItems else {
                    return call.answer { try await relay(relayed) }
                }
                return call.run { _ = try await relay(relayed) }
            },
            local: {
                try await relay(
                    RelayedStream(
                        request: $0.request, context: $0.context, streams: method.streams,
                        incoming: $0.incoming, outgoing: $0.outgoing))
            })
    }
}

extension OutgoingRequest.Payload {
    /// A copy of a request's bytes, in wiped memory if the method has a secret.
    init(copying bytes: UnsafeRawBufferPointer, of method: MethodDescription) {
        self = method.hasSecrets ? .secret(SecretBytes(copying: bytes)) : .plain(Array(bytes))
    }

    /// Calls `body` with the bytes.
    package func withBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value {
        switch self {
        case .plain(let bytes): try bytes.withUnsafeBytes(body)
        case .secret(let bytes): try bytes.withBytes(body)
        }
    }
}

extension IncomingItems<[UInt8]> {
    /// The items of a served call as they are on the wire.
    fileprivate init(packed stream: CallStream) {
        self.init(stream) { bytes, _ in Array(bytes) }
    }
}

/// A packed response in a frame that is being read.
private struct BorrowedBytes: WireEncoded, @unchecked Sendable {
    // `@unchecked`: it is written before the function returns that reads the frame.
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var encodedByteCount: Int { bytes.count }

    func encode(to writer: inout WireWriter) { writer.copy(bytes) }
}

/// A call with streams that is passed on, as its caller made it.
package struct RelayedStream: Sendable {
    /// The packed request; empty where the caller sends items.
    package let request: [UInt8]
    /// What the handler knows about the call.
    package let context: CallContext
    fileprivate let streams: MethodDescription.Streams
    fileprivate let incoming: IncomingItems<[UInt8]>
    fileprivate let outgoing: OutgoingItems<[UInt8]>

    /// The caller's first packed item, which `relay` then has to pass on; nil where it sends none.
    /// - Throws: `ServiceError`.
    package func firstItem() async throws -> [UInt8]? {
        try await incoming.makeAsyncIterator().next()
    }

    /// Passes both sides' items on until the owner has answered, each at the pace of its reader.
    ///
    /// What ends first decides: the owner's end is that of the caller's items, and a caller that
    /// goes away cancels the owner's call.
    /// - Parameter first: an item of the caller that was taken before; it goes first.
    /// - Returns: the response; empty where the owner sends items.
    /// - Throws: the errors of the owner and of both sides' items.
    package func relay(
        to owner: PackedStreamCall, after first: [UInt8]? = nil
    ) async throws -> [UInt8] {
        guard streams.hasRequestItems else { return try await answer(of: owner) }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { directions in
            directions.addTask {
                try await send(to: owner, after: first)
                return nil
            }
            directions.addTask { try await answer(of: owner) }
            defer { directions.cancelAll() }
            for try await response in directions {
                if let response { return response }
            }
            return []
        }
    }

    private func send(to owner: PackedStreamCall, after first: [UInt8]?) async throws {
        let items = incoming.makeAsyncIterator()
        var next = first
        if next == nil { next = try await items.next() }
        // A write fails when the owner has ended its call: the other direction gets the error.
        while let item = next {
            guard (try? await owner.outgoing.write(item)) != nil else { return }
            next = try await items.next()
        }
        owner.outgoing.finish()
    }

    private func answer(of owner: PackedStreamCall) async throws -> [UInt8] {
        for try await item in owner.incoming { try await outgoing.write(item) }
        return try await owner.response()
    }
}
