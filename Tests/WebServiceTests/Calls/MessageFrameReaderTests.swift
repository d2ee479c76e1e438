import NIOCore
import Testing

@testable import WebService

@Suite("Frames of messages")
struct MessageFrameReaderTests {
    private static let body: [UInt8] =
        [0, 0, 0, 0, 3, 1, 2, 3] + [2, 0, 0, 0, 0] + [1, 0, 0, 0, 1, 9]
    private static let frames = [
        MessageFrame(flags: 0, message: ByteBuffer(bytes: [1, 2, 3])),
        MessageFrame(flags: 2, message: ByteBuffer()),
        MessageFrame(flags: 1, message: ByteBuffer(bytes: [9])),
    ]

    private func frames(
        _ parts: [ArraySlice<UInt8>], messageBytesMax: Int = 16
    ) throws -> (frames: [MessageFrame], isEmpty: Bool) {
        var reader = MessageFrameReader(messageBytesMax: messageBytesMax)
        var frames: [MessageFrame] = []
        for part in parts {
            reader.append(ByteBuffer(bytes: part))
            while let frame = try reader.next() { frames.append(frame) }
        }
        return (frames, reader.isEmpty)
    }

    @Test("a body gives the same frames however it is split in three")
    func splits() throws {
        let body = Self.body
        for first in 0...body.count {
            for second in first...body.count {
                let found = try frames([body[..<first], body[first..<second], body[second...]])
                #expect(found.frames == Self.frames, "\(first), \(second)")
                #expect(found.isEmpty)
            }
        }
    }

    @Test("a body gives the same frames byte by byte")
    func bytes() throws {
        let found = try frames(Self.body.indices.map { Self.body[$0..<$0 + 1] })
        #expect(found.frames == Self.frames)
    }

    @Test("a body that ends within a frame leaves a part over")
    func truncated() throws {
        let ends = [0, 8, 13, 19]
        for end in 0...Self.body.count {
            #expect(try frames([Self.body[..<end]]).isEmpty == ends.contains(end), "\(end)")
        }
    }

    @Test("a message over the limit is refused by its length alone")
    func tooLarge() throws {
        #expect(throws: CallFailure.tooLarge(bytesMax: 16)) { try frames([[0, 0, 0, 0, 17]]) }
        #expect(throws: CallFailure.self) { try frames([[0, 255, 255, 255, 255]]) }
        let largest = try frames([[0, 0, 0, 0, 16], [UInt8](repeating: 7, count: 16)[...]])
        #expect(largest.frames.map(\.message.readableBytes) == [16])
    }

    @Test("a written frame is read again")
    func written() throws {
        let bytes = MessageFrame.bytes([5, 6], flags: MessageFrame.trailers)
        let found = try frames([Array(bytes.readableBytesView)[...]])
        #expect(found.frames == [MessageFrame(flags: 0x80, message: ByteBuffer(bytes: [5, 6]))])
    }
}
