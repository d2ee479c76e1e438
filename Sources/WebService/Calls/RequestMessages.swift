import NIOCore
import ServiceRuntime

/// The messages of a request in frames, as they arrive.
struct RequestMessages: Sendable {
    private let exchange: HTTPExchange
    private let method: CallMethod
    private let format: CallFormat
    private var frames: MessageFrameReader
    private var text = GRPCWebText()

    init(_ exchange: HTTPExchange, _ method: CallMethod, _ format: CallFormat) {
        self.exchange = exchange
        self.method = method
        self.format = format
        frames = MessageFrameReader(messageBytesMax: CallResponder.messageBytesMax)
    }

    /// The next message, packed; nil after the last. It does not read from the client before it is
    /// called, so that a server that takes items slowly slows the client down.
    /// - Throws: `CallFailure` for an invalid frame or message; `CancellationError`.
    mutating func next() async throws -> [UInt8]? {
        while true {
            if let frame = try frames.next() { return try packed(frame) }
            guard let part = try await exchange.nextBodyPart() else {
                try requireEnd()
                return nil
            }
            frames.append(format.framing == .grpcWebText ? try text.decoded(part) : part)
        }
    }

    /// The only message of a request that is no stream.
    /// - Throws: `CallFailure` for none or several; otherwise as `next`.
    mutating func only() async throws -> [UInt8] {
        guard let message = try await next() else {
            throw CallFailure(.invalidArgument, "The request has no message.")
        }
        guard try await next() == nil else { throw Self.several }
        return message
    }

    /// The only message of a whole body.
    /// - Throws: `CallFailure` for none or several, or for an invalid one.
    static func only(
        in body: ByteBuffer, of method: CallMethod, _ format: CallFormat
    ) throws(CallFailure) -> [UInt8] {
        guard format.framing != .connectUnary else {
            return try method.packedRequest(body, format.codec)
        }
        var text = GRPCWebText()
        var frames = MessageFrameReader(messageBytesMax: CallResponder.messageBytesMax)
        frames.append(format.framing == .grpcWebText ? try text.decoded(body) : body)
        guard let frame = try frames.next() else {
            throw CallFailure(.invalidArgument, "The request has no whole message.")
        }
        guard frames.isEmpty, text.isEmpty else { throw several }
        return try method.packedRequest(frame.checked(), format.codec)
    }

    private static var several: CallFailure {
        CallFailure(.invalidArgument, "The request of this method is one message.")
    }

    private func packed(_ frame: MessageFrame) throws(CallFailure) -> [UInt8] {
        try method.packedRequest(frame.checked(), format.codec)
    }

    private func requireEnd() throws(CallFailure) {
        guard frames.isEmpty, text.isEmpty else {
            throw CallFailure(.invalidArgument, "The body ends within a message.")
        }
    }
}

extension MessageFrame {
    /// The message of a frame of a request.
    /// - Throws: `CallFailure` for a flag that a request does not have.
    fileprivate func checked() throws(CallFailure) -> ByteBuffer {
        guard flags & Self.compressed == 0 else {
            throw CallFailure(
                .invalidArgument, "A message is marked as compressed, though none may be.")
        }
        guard flags == 0 else {
            throw CallFailure(.invalidArgument, "A message has unknown flags (\(flags)).")
        }
        return message
    }
}
