package import Messages

/// Something that carries calls: a client over TCP, or what a test puts in its place.
package protocol CallChannel: Sendable {
    /// Sends `request` and returns the answer.
    /// - Throws: `ServiceError`, the peer's or the transport's.
    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response

    /// Sends `request` and gives what the server sends. The call begins at once; whatever goes
    /// wrong is met where its items are taken.
    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response>

    /// Begins a call whose caller sends items and gets one answer.
    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response>

    /// Begins a call whose sides both send items.
    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response>
}
