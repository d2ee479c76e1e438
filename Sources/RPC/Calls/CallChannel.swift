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
