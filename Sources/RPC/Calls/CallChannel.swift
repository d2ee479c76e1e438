package import Messages

/// A transport for calls: a client over TCP, or a test double.
package protocol CallChannel: Sendable {
    /// Sends `request` and returns the response.
    /// - Throws: `ServiceError`, from the peer or the transport.
    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response

    /// Sends `request` and returns the server's items. The call starts at once. Errors are thrown
    /// by the returned sequence.
    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response>

    /// Starts a call in which the caller sends items and receives one response.
    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response>

    /// Starts a call in which both sides send items.
    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response>
}

/// A call in which the caller sends items and receives one response.
package struct ClientStreamCall<Request: Sendable, Response: Sendable>: Sendable {
    /// The items that the caller writes; call `finish` to end them, or the server may never
    /// respond.
    package let outgoing: OutgoingItems<Request>
    private let answer: @Sendable () async throws -> Response

    init(
        _ outgoing: OutgoingItems<Request>,
        _ answer: @escaping @Sendable () async throws -> Response
    ) {
        self.outgoing = outgoing
        self.answer = answer
    }

    /// The response. It may arrive before the last item is written, and then ends the call.
    /// - Throws: `ServiceError`.
    package func response() async throws -> Response { try await answer() }
}

/// A call in which both sides send items, each at its own pace.
package struct BidirectionalCall<Request: Sendable, Response: Sendable>: Sendable {
    /// The items that the caller writes; `finish` ends them.
    package let outgoing: OutgoingItems<Request>
    /// The items that the server sends.
    package let incoming: IncomingItems<Response>
}
