import Messages
import RPC
import ServiceRuntime

/// Calls the methods of services of this process as over a connection: packed, by their names.
struct InProcessChannel: PackedChannel {
    private let handlers: [String: MethodHandler]
    private let application: String?

    /// - Parameter application: the caller, which may assert client addresses; nil for the one that
    ///   each context names.
    init(_ services: [ServiceMethods], as application: String? = nil) {
        handlers = Dictionary(
            services.flatMap(\.handlers).map { ($0.method.name, $0) }, uniquingKeysWith: { $1 })
        self.application = application
    }

    private func handler(of method: MethodDescription) throws(ServiceError) -> MethodHandler {
        guard let handler = handlers[method.name] else {
            throw ServiceError(.unknownMethod, detail: method.name)
        }
        return handler
    }

    private func served(_ context: CallContext) -> CallContext {
        guard let application else { return context }
        return CallContext(
            application: application, deadline: context.deadline,
            isCallersDeadline: context.isCallersDeadline, metadata: context.metadata,
            mayAssertClientAddress: true)
    }

    func call(
        _ method: MethodDescription, packed payload: OutgoingRequest.Payload,
        _ context: CallContext
    ) async throws -> [UInt8] {
        try await handler(of: method).serve(
            LocalCall(payload.withBytes { Array($0) }, served(context)))
    }

    func stream(
        _ method: MethodDescription, payload: [UInt8], _ context: CallContext
    ) -> PackedStreamCall {
        .inProcess(payload, served(context)) { call in
            try await handler(of: method).serve(call)
        }
    }

    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        try Response(
            decoding: await call(method, packed: .plain(request.encoded()), context))
    }

    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response> {
        let call = stream(method, payload: request.encoded(), context)
        return .inProcess { try await call.decoded(to: $0) }
    }

    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response> {
        let call = stream(method, payload: [], context)
        return .inProcess { items in
            async let sent: Void = call.encoded(items)
            let response = try Response(decoding: await call.response())
            try await sent
            return response
        }
    }

    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response> {
        let call = stream(method, payload: [], context)
        return .inProcess { incoming, outgoing in
            try await withThrowingTaskGroup(of: Bool.self) { directions in
                directions.addTask {
                    try await call.encoded(incoming)
                    return false
                }
                directions.addTask {
                    try await call.decoded(to: outgoing)
                    return true
                }
                defer { directions.cancelAll() }
                for try await isAnswered in directions where isAnswered { return }
            }
        }
    }
}

extension PackedStreamCall {
    /// Writes the items that the server sends, decoded.
    fileprivate func decoded<Item: ProtobufMessage>(
        to items: OutgoingItems<Item>
    ) async throws {
        for try await item in incoming { try await items.write(Item(decoding: item)) }
        _ = try await response()
    }

    /// Sends items, encoded.
    fileprivate func encoded<Item: ProtobufMessage>(
        _ items: IncomingItems<Item>
    ) async throws {
        for try await item in items {
            // The server has ended the call; its answer has the reason.
            guard (try? await outgoing.write(item.encoded())) != nil else { return }
        }
        outgoing.finish()
    }
}
