package import Messages

/// Something that carries unary calls: a client over TCP, or the service itself in one process.
package protocol CallChannel: Sendable {
    /// Sends `request` and returns the answer.
    /// - Throws: `ServiceError`, the peer's or the transport's.
    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response
}
