import NIOCore

@testable import WebService

/// Any body in any pieces must give the same messages and the same failure as in one piece, with
/// the framing of gRPC and Connect, and as the base64 of gRPC-Web.
///
/// The first byte chooses the pieces, the rest is the body.
package enum MessageFrameFuzz {
    private static let messageBytesMax = 64

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let body = input.dropFirst()
        let pieces = cut(body, choice)
        let (whole, parts) = (Reading(of: [body]), Reading(of: pieces))
        guard whole == parts else { return "whole: \(whole), in pieces: \(parts)" }
        let used = whole.frames.reduce(0) {
            $0 + $1.message.readableBytes + MessageFrameReader.headBytes
        }
        guard used <= body.count else { return "frames of \(used) bytes in \(body.count)" }
        let (text, textParts) = (decoded([body]), decoded(pieces))
        return text == textParts ? nil : "text: \(text ?? []), in pieces: \(textParts ?? [])"
    }

    private static func cut(_ body: ArraySlice<UInt8>, _ choice: UInt8) -> [ArraySlice<UInt8>] {
        var (pieces, rest, state) = ([ArraySlice<UInt8>](), body, UInt32(choice) &+ 1)
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let count = min(rest.count, 1 + Int(state >> 16) % (1 + Int(choice)))
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// The bytes of gRPC-Web's text, and whether it ended with a whole group; nil if it is not
    /// base64.
    private static func decoded(_ pieces: [ArraySlice<UInt8>]) -> [UInt8]? {
        var text = GRPCWebText()
        var bytes: [UInt8] = []
        do {
            for piece in pieces {
                bytes += try text.decoded(ByteBuffer(bytes: piece)).readableBytesView
            }
        } catch {
            return nil
        }
        return bytes + [text.isEmpty ? 1 : 0]
    }

    /// The result of reading the pieces of one body.
    private struct Reading: Equatable {
        var frames: [MessageFrame] = []
        var failure: CallFailure?
        var isEmpty = false

        init(of pieces: [ArraySlice<UInt8>]) {
            var reader = MessageFrameReader(messageBytesMax: messageBytesMax)
            do {
                for piece in pieces {
                    reader.append(ByteBuffer(bytes: piece))
                    while let frame = try reader.next() { frames.append(frame) }
                }
                isEmpty = reader.isEmpty
            } catch {
                failure = error
            }
        }
    }
}
