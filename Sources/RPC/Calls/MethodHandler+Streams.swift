package import Messages
import ServiceRuntime

/// Handlers of streaming methods. They run on their connection's event loop like those of unary
/// methods. A write waits only for the reader of its own stream.
extension MethodHandler {
    /// A handler that answers one request with items; the items end when it returns.
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
                let request = try Request.decode(payload, in: call.arena)
                let stream = try call.ownStream
                return call.run { try await handle(request, OutgoingItems(stream), context) }
            },
            local: { call in
                let request = try Request(decoding: call.request)
                try await call.answer { try await handle(request, $0, call.context) }
                return []
            })
    }

    /// A handler that reads items and returns one response.
    package static func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (IncomingItems<Request>, CallContext) async throws -> Response
    ) -> MethodHandler {
        precondition(method.streams == .request, "the handler's kind is the method's")
        return MethodHandler(
            method: method,
            kind: .async { payload, context, call in
                let stream = try call.ownStream(without: payload)
                return call.answer { try await handle(IncomingItems(stream), context) }
            },
            local: { try await handle($0.items(), $0.context).encoded() })
    }

    /// A handler that reads items and writes items; the written items end when it returns.
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
            },
            local: { call in
                try await call.answer { try await handle(call.items(), $0, call.context) }
                return []
            })
    }
}

extension AsyncCall {
    var ownStream: CallStream {
        get throws {
            guard let stream else {
                throw ServiceError(.internalError, detail: "a streaming method without a stream")
            }
            return stream
        }
    }

    /// The stream of a call that sends its request as items; its Request frame must have no
    /// payload.
    func ownStream(without payload: UnsafeRawBufferPointer) throws -> CallStream {
        guard payload.isEmpty else {
            throw ServiceError(.invalidArgument, detail: "the Request of a stream has a payload")
        }
        return try ownStream
    }

    /// Runs a handler that answers with one response.
    func answer<Response: WireEncoded>(
        _ body: @escaping @Sendable () async throws -> Response
    ) -> RunningHandler {
        .task(
            Task.immediate(executorPreference: executor) {
                do {
                    self.finish(try await body())
                } catch {
                    self.fail(error)
                }
            })
    }

    /// Runs a handler that answers with items.
    func run(_ body: @escaping @Sendable () async throws -> Void) -> RunningHandler {
        .task(
            Task.immediate(executorPreference: executor) {
                do {
                    try await body()
                    self.finish()
                } catch {
                    self.fail(error)
                }
            })
    }
}
