import NIOCore
import RPC

/// Any bytes in any pieces must give the same frames and the same violation as in one piece.
///
/// The first byte chooses the pieces, the rest is the stream. A frame that begins with an odd byte
/// raises the limit, as a Hello does.
package enum FrameDecoderFuzz {
    private static let limits = (low: 48, high: 512)

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let stream = input.dropFirst()
        let whole = Reading(of: [stream])
        let pieces = Reading(of: cut(stream, choice))
        guard whole == pieces else { return "whole: \(whole), in pieces: \(pieces)" }
        let used = whole.frames.reduce(0) { $0 + $1.count + FrameLimits.lengthBytes }
        return used <= stream.count ? nil : "frames of \(used) bytes in \(stream.count)"
    }

    private static func cut(_ stream: ArraySlice<UInt8>, _ choice: UInt8) -> [ArraySlice<UInt8>] {
        var (pieces, rest, state) = ([ArraySlice<UInt8>](), stream, UInt32(choice) &+ 1)
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let count = min(rest.count, 1 + Int(state >> 16) % (1 + Int(choice)))
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// The result of decoding the pieces on one connection.
    private struct Reading: Equatable {
        var frames: [[UInt8]] = []
        var violation: FrameDecoder.Step?
        var isMidFrame = false

        init(of pieces: [ArraySlice<UInt8>]) {
            var decoder = FrameDecoder()
            var limit = limits.low
            for piece in pieces where violation == nil {
                let buffer = decoder.take(ByteBuffer(bytes: piece))
                let result = FrameDecoder.forEachFrame(
                    in: buffer, frameBytesMax: { limit }
                ) { bytes, range in
                    frames.append(Array(bytes[range]))
                    if bytes[range.lowerBound] % 2 == 1 { limit = limits.high }
                    return true
                }
                violation = result.violation
                if violation == nil { decoder.store(buffer, from: result.consumed) }
            }
            isMidFrame = decoder.isMidFrame
        }
    }
}
