import NIOCore

/// One message in the framing that Connect, gRPC and gRPC-Web share: a byte of flags, the length in
/// four bytes, the message.
struct MessageFrame: Hashable, Sendable {
    /// The message is compressed.
    static let compressed: UInt8 = 0x01
    /// Connect: the result of the call, not a message.
    static let endOfConnectStream: UInt8 = 0x02
    /// gRPC-Web: the trailers.
    static let trailers: UInt8 = 0x80

    let flags: UInt8
    let message: ByteBuffer

    /// A frame's bytes.
    static func bytes(_ message: [UInt8], flags: UInt8 = 0) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(MessageFrameReader.headBytes + message.count)
        buffer.writeInteger(flags)
        buffer.writeInteger(UInt32(clamping: message.count))
        buffer.writeBytes(message)
        return buffer
    }
}

/// Cuts a body into frames, however its parts are split. It holds at most one message and one part.
struct MessageFrameReader: Sendable {
    /// Bytes before each message.
    static let headBytes = 5

    private let messageBytesMax: Int
    private var buffer = ByteBuffer()

    init(messageBytesMax: Int) {
        self.messageBytesMax = messageBytesMax
    }

    /// Whether no part of a frame is left over.
    var isEmpty: Bool { buffer.readableBytes == 0 }

    mutating func append(_ part: ByteBuffer) {
        guard !isEmpty else {
            buffer = part
            return
        }
        buffer.discardReadBytes()
        buffer.writeImmutableBuffer(part)
    }

    /// The next complete frame; nil if more bytes are needed.
    /// - Throws: `CallFailure` for a message over the limit, as soon as its length is known: the
    ///   rest of it is not read.
    mutating func next() throws(CallFailure) -> MessageFrame? {
        let start = buffer.readerIndex
        guard let flags = buffer.getInteger(at: start, as: UInt8.self),
            let length = buffer.getInteger(at: start + 1, as: UInt32.self)
        else { return nil }
        guard length <= messageBytesMax else { throw .tooLarge(bytesMax: messageBytesMax) }
        guard buffer.readableBytes >= Self.headBytes + Int(length) else { return nil }
        buffer.moveReaderIndex(forwardBy: Self.headBytes)
        guard let message = buffer.readSlice(length: Int(length)) else { return nil }
        return MessageFrame(flags: flags, message: message)
    }
}
