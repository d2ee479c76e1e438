package import Messages
import ServiceRuntime

/// Handlers of methods with streams. They run on their connection's event loop like those of
/// unary methods, and their writes wait for the reader and nobody else.
extension MethodHandler {
    /// A handler that answers one request with items; its return ends them.
    package static func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle:
            @escaping @Sendable (Request, OutgoingItems<Response>, CallContext) async throws
            -> Void
    ) -> MethodHandler {
        precondition(method.streams == .response, "the handler's kind is the method's")
        return MethodHandler(
            method: method,
            kind: .async { payload, context, call in
                let request = try Request(decoding: payload, in: call.arena)
                let stream = try call.ownStream
                return call.run { try await handle(request, OutgoingItems(stream), context) }
            })
    }

    /// A handler that answers items with one response.
    package static func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (IncomingItems<Request>, CallContext) async throws -> Response
    ) -> MethodHandler {
        precondition(method.streams == .request, "the handler's kind is the method's")
        return MethodHandler(
            method: method,
            kind: .async { payload, context, call in
                let stream = try call.ownStream(without: payload)
                return Task.immediate(executorPreference: call.executor) {
                    do {
                        call.finish(try await handle(IncomingItems(stream), context))
                    } catch {
                        call.fail(error)
                    }
                }
            })
    }

    /// A handler that answers items with items; its return ends them.
    package static func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle:
            @escaping @Sendable (IncomingItems<Request>, OutgoingItems<Response>, CallContext)
            async throws -> Void
    ) -> MethodHandler {
        precondition(method.streams == .both, "the handler's kind is the method's")
        return MethodHandler(
            method: method,
            kind: .async { payload, context, call in
                let stream = try call.ownStream(without: payload)
                return call.run {
                    try await handle(IncomingItems(stream), OutgoingItems(stream), context)
                }
            })
    }
}

extension AsyncCall {
    fileprivate var ownStream: CallStream {
        get throws {
            guard let stream else {
                throw ServiceError(.internalError, detail: "a streaming method without a stream")
            }
            return stream
        }
    }

    /// The stream of a call whose request is its items: beside them it says nothing.
    fileprivate func ownStream(without payload: UnsafeRawBufferPointer) throws -> CallStream {
        guard payload.isEmpty else {
            throw ServiceError(.invalidArgument, detail: "a payload in the request of a stream")
        }
        return try ownStream
    }

    /// Runs a handler whose items are its answer.
    fileprivate func run(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        Task.immediate(executorPreference: executor) {
            do {
                try await body()
                finish()
            } catch {
                fail(error)
            }
        }
    }
}
