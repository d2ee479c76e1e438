import HTTPTypes
import JSON
import NIOCore
import ServiceRuntime

/// Writes the response of one call in the call's format.
struct CallResponse: Sendable {
    private let exchange: HTTPExchange
    private let method: CallMethod?
    private let format: CallFormat
    private let fields: HTTPFields
    /// The voice of the sentences in an error.
    private let voice: Voice

    /// - Parameters:
    ///   - method: nil if the call fails before its method is known.
    ///   - fields: Fields of every response to the caller.
    init(
        _ exchange: HTTPExchange, _ method: CallMethod?, _ format: CallFormat, fields: HTTPFields,
        _ voice: Voice
    ) {
        self.exchange = exchange
        self.method = method
        self.format = format
        self.fields = fields
        self.voice = voice
    }

    // MARK: Whole responses

    /// Sends the only message.
    /// - Throws: `CallFailure` for a message that is not of the method's type.
    func send(_ packed: [UInt8], adding more: HTTPFields = [:]) throws(CallFailure) {
        guard format.framing != .connectUnary else {
            let body = try method?.response(packed, format.codec) ?? packed
            return exchange.respond(head(.ok, adding: more), ByteBuffer(bytes: body))
        }
        var (body, end) = (try frame(packed), format.end(nil, .english))
        body.writeBuffer(&end.body)
        exchange.respond(head(.ok, adding: more), body, trailers: end.trailers)
    }

    /// Sends a failure. gRPC's comes in the trailers of a response without messages, which clients
    /// read as they read gRPC's `Trailers-Only`.
    func fail(_ failure: CallFailure) {
        let failure = failure.worded(in: voice)
        guard format.framing != .connectUnary else {
            var head = head(failure.status, adding: failure.fields)
            head.headerFields[.contentType] = "application/json"
            // RFC 9110 (15.5.2) requires it; RFC 6750 defines the scheme.
            if failure.status == .unauthorized { head.headerFields[.wwwAuthenticate] = "Bearer" }
            let body = JSONWriter.text(failure.connectError)
            return exchange.respond(head, ByteBuffer(string: body))
        }
        let end = format.end(failure, voice)
        exchange.respond(head(.ok, adding: failure.fields), end.body, trailers: end.trailers)
    }

    // MARK: Streams

    /// Begins a response of several messages.
    func begin() { exchange.begin(head(.ok, adding: [:])) }

    /// Sends the next message, and waits while the client does not read.
    /// - Throws: `CallFailure` for a message that is not of the method's type;
    ///   `CancellationError`.
    func write(_ packed: [UInt8]) async throws { try await exchange.write(frame(packed)) }

    /// Ends the messages, with the failure if the call failed.
    /// - Throws: `CancellationError`.
    func end(_ failure: CallFailure?) async throws {
        let end = format.end(failure?.worded(in: voice), voice)
        if end.body.readableBytes > 0 { try await exchange.write(end.body) }
        exchange.end(end.trailers)
    }

    // MARK: Parts

    private func frame(_ packed: [UInt8]) throws(CallFailure) -> ByteBuffer {
        let message = try method?.response(packed, format.codec) ?? packed
        let frame = MessageFrame.bytes(message)
        return format.framing == .grpcWebText ? GRPCWebText.encoded(frame) : frame
    }

    /// Responses have tokens, so no cache may keep them.
    private func head(_ status: HTTPResponse.Status, adding more: HTTPFields) -> HTTPResponse {
        var all = fields
        all.add(.contentType, format.contentType)
        all.add(.cacheControl, "no-store")
        all.append(contentsOf: more)
        return HTTPResponse(status: status, headerFields: all)
    }
}

extension CallFailure {
    fileprivate func worded(in voice: Voice) -> CallFailure {
        var failure = self
        failure.error = error.worded(in: voice)
        return failure
    }
}

extension CallFormat {
    /// What follows the last message: the end of the body, and gRPC's trailers.
    func end(
        _ failure: CallFailure?, _ voice: Voice
    ) -> (body: ByteBuffer, trailers: HTTPFields?) {
        switch framing {
        case .connectUnary: return (ByteBuffer(), nil)
        case .connectStream:
            let json = JSONWriter.text(CallFailure.endOfStream(failure))
            let flags = MessageFrame.endOfConnectStream
            return (MessageFrame.bytes(Array(json.utf8), flags: flags), nil)
        case .grpc:
            return (ByteBuffer(), GRPCStatus.trailers(failure, in: voice))
        case .grpcWeb, .grpcWebText:
            let text = GRPCStatus.trailers(failure, in: voice)
                .map { "\($0.name.canonicalName): \($0.value)\r\n" }.joined()
            let frame = MessageFrame.bytes(Array(text.utf8), flags: MessageFrame.trailers)
            return (framing == .grpcWebText ? GRPCWebText.encoded(frame) : frame, nil)
        }
    }
}
