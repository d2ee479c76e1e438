import Cryptography
import NIOCore
import ServiceRuntime

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
        // Keeps the rest of a frame only.
        buffer = buffer.slice()
        buffer.append(moving: part)
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

/// Decodes the body of `application/grpc-web-text`: base64, which a client may pad and begin again
/// at any frame.
struct GRPCWebText: Sendable {
    /// Digits after the last whole group of four.
    private var rest: [UInt8] = []

    /// Whether the text ended with a whole group.
    var isEmpty: Bool { rest.isEmpty }

    /// The bytes of the next part of the text.
    /// - Throws: `CallFailure` for a text that is not base64.
    mutating func decoded(_ part: ByteBuffer) throws(CallFailure) -> ByteBuffer {
        var digits = rest + part.readableBytesView
        defer { wipe(&digits) }
        part.wipe()
        wipe(&rest)
        let whole = digits.count / 4 * 4
        rest = Array(digits[whole...])
        var out = ByteBuffer()
        // Buffers that grow leave their content behind, which may be a password.
        out.reserveCapacity(whole / 4 * 3)
        var start = 0
        while start < whole {
            let end = Self.endOfSegment(digits[start..<whole])
            guard var bytes = Base64.decode(digits[start..<end]) else {
                throw CallFailure(.invalidArgument, "The body is not base64.")
            }
            out.writeBytes(bytes)
            wipe(&bytes)
            start = end
        }
        return out
    }

    /// The end of the group in which padding ends a text; the end of all groups if none does.
    private static func endOfSegment(_ groups: ArraySlice<UInt8>) -> Int {
        guard let padding = groups.firstIndex(of: UInt8(ascii: "=")) else { return groups.endIndex }
        return groups.startIndex + ((padding - groups.startIndex) / 4 + 1) * 4
    }

    /// A frame's bytes as text.
    static func encoded(_ bytes: ByteBuffer) -> ByteBuffer {
        ByteBuffer(string: Base64.encode(bytes.readableBytesView))
    }
}
