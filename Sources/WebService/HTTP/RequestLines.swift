import NIOCore
import NIOHTTP1

/// Cuts the bytes of an HTTP/1.1 connection before the parser sees them, as a pure rule: a request
/// line, the fields after it, and a body are passed on by themselves. What comes next, the parser
/// says.
///
/// Attack: the parser takes several spaces for one. A proxy in front may read such a line in
/// another way, and take a part of one request for another (request smuggling, RFC 9112, 3 and
/// 11.2).
struct RequestLines {
    /// A request line is not a method, a target and a version with one space between them.
    struct Malformed: Error {}

    private enum Part {
        case line(Line)
        /// How much of the end of the fields was just seen.
        case fields(matched: Int)
        /// The rest of a body, or of a chunk with the end of its line.
        case content(Int)
        case chunkSize(Int, isOver: Bool)
        /// Lines after the last chunk, and what the parser does not read.
        case rest
    }

    private struct Line {
        var spaces = 0
        /// A space would be one too many.
        var isAfterSpace = true
        var isEmpty = true
    }

    private static let fieldsEnd = Array("\r\n\r\n".utf8)
    private var part = Part.line(Line())
    private var isChunked = false

    /// The parser has passed on the fields of a request.
    mutating func begin(contentBytes: Int, isChunked: Bool) {
        self.isChunked = isChunked
        part = isChunked ? .chunkSize(0, isOver: false) : .content(contentBytes)
    }

    /// The parser has passed on the end of a request.
    mutating func end() { part = .line(Line()) }

    /// How many of `bytes` the parser may see before the next call.
    /// - Throws: `Malformed`.
    mutating func next(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Int {
        switch part {
        case .line(let line): return try next(bytes, line)
        case .fields(let matched): return fields(bytes, matched)
        case .content(let count):
            guard count > 0 else { return bytes.count }
            let taken = min(count, bytes.count)
            part =
                isChunked && taken == count
                ? .chunkSize(0, isOver: false) : .content(count - taken)
            return taken
        case .chunkSize(let size, let isOver): return try chunkSize(bytes, size, isOver)
        case .rest: return bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
        }
    }

    private mutating func next(
        _ bytes: UnsafeRawBufferPointer, _ begun: Line
    ) throws(Malformed) -> Int {
        var line = begun
        for (index, byte) in bytes.enumerated() {
            switch byte {
            // Empty lines before a request are ignored (RFC 9112, 2.2).
            case UInt8(ascii: "\r") where line.isEmpty, UInt8(ascii: "\n") where line.isEmpty:
                break
            case UInt8(ascii: "\n"):
                guard line.spaces == 2 else { throw Malformed() }
                part = .fields(matched: 2)
                return index + 1
            case UInt8(ascii: "\r"), UInt8(ascii: " "):
                guard !line.isAfterSpace else { throw Malformed() }
                line.isAfterSpace = byte == UInt8(ascii: " ")
                line.spaces += line.isAfterSpace ? 1 : 0
            case UInt8(ascii: "\t"): throw Malformed()
            default: (line.isAfterSpace, line.isEmpty) = (false, false)
            }
        }
        part = .line(line)
        return bytes.count
    }

    private mutating func fields(_ bytes: UnsafeRawBufferPointer, _ begun: Int) -> Int {
        var matched = begun
        for (index, byte) in bytes.enumerated() {
            if byte == Self.fieldsEnd[matched] {
                matched += 1
            } else {
                matched = byte == Self.fieldsEnd[0] ? 1 : 0
            }
            guard matched == Self.fieldsEnd.count else { continue }
            // If the parser does not say what comes, it reads no more.
            part = .rest
            return index + 1
        }
        part = .fields(matched: matched)
        return bytes.count
    }

    private mutating func chunkSize(
        _ bytes: UnsafeRawBufferPointer, _ begun: Int, _ wasOver: Bool
    ) throws(Malformed) -> Int {
        var (size, isOver) = (begun, wasOver)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n") {
                part = size == 0 ? .rest : .content(size + 2)
                return index + 1
            }
            let digit = isOver ? nil : Character(Unicode.Scalar(byte)).hexDigitValue
            isOver = digit == nil
            guard let digit else { continue }
            // The parser takes no larger one either.
            guard size <= Int.max >> 8 else { throw Malformed() }
            size = size << 4 | digit
        }
        part = .chunkSize(size, isOver: isOver)
        return bytes.count
    }
}

/// Passes the bytes of an HTTP/1.1 connection to the parser as `RequestLines` cuts them. A body is
/// then always a part of the memory of this read, where `HTTP1Connection` wipes it; what is not
/// parsed is wiped here.
final class RequestLineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: WebConnection

    init(_ connection: WebConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var rest = unwrapInboundIn(data)
        while rest.readableBytes > 0, !connection.isClosing, !connection.isInputDropped {
            do {
                let count = try rest.withUnsafeReadableBytes {
                    try connection.requestLines.next($0)
                }
                guard let part = rest.readSlice(length: count) else { break }
                context.fireChannelRead(wrapInboundOut(part))
            } catch {
                context.fireErrorCaught(error)
                break
            }
        }
        rest.wipe()
    }
}
