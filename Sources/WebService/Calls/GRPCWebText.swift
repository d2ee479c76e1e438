import Cryptography
import NIOCore
import ServiceRuntime

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
        rest += part.readableBytesView
        let whole = rest.prefix(rest.count / 4 * 4)
        rest.removeFirst(whole.count)
        var out = ByteBuffer()
        var start = whole.startIndex
        while start < whole.endIndex {
            let end = Self.endOfSegment(whole[start...])
            guard let bytes = Base64.decode(whole[start..<end]) else {
                throw CallFailure(.invalidArgument, "The body is not base64.")
            }
            out.writeBytes(bytes)
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
