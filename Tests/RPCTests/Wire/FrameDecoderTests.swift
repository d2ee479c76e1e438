import NIOCore
import RPC
import Testing

/// Feeds a decoder as a connection does.
private struct Feed {
    private var decoder = FrameDecoder()
    private(set) var frames: [[UInt8]] = []
    private(set) var violation: FrameDecoder.Step?
    var frameBytesMax: Int

    init(frameBytesMax: Int) {
        self.frameBytesMax = frameBytesMax
    }

    var isMidFrame: Bool { decoder.isMidFrame }

    mutating func take(_ bytes: some Sequence<UInt8>, raisingAt raising: [UInt8]? = nil) {
        let buffer = decoder.take(ByteBuffer(bytes: bytes))
        var limit = frameBytesMax
        var frames = frames
        let (consumed, violation) = FrameDecoder.forEachFrame(
            in: buffer, frameBytesMax: { limit }
        ) { bytes, range in
            frames.append(Array(bytes[range]))
            if frames.last == raising { limit = 1_024 }
            return true
        }
        (self.frames, self.violation, frameBytesMax) = (frames, violation, limit)
        if violation == nil { decoder.store(buffer, from: consumed) }
    }
}

private func framed(_ body: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
}

@Suite("Frames: decoding the stream")
struct FrameDecoderTests {
    private let bodies: [[UInt8]] = [[1], [2, 3], Array(repeating: 4, count: 300), [5, 6, 7, 8]]

    private var stream: [UInt8] { bodies.flatMap(framed) }

    @Test("Protos/README.md, Frame: a stream cut anywhere in two gives the same frames")
    func everyCut() {
        for cut in 0...stream.count {
            var feed = Feed(frameBytesMax: 512)
            feed.take(stream[..<cut])
            feed.take(stream[cut...])
            #expect(feed.frames == bodies, "cut at \(cut)")
            #expect(!feed.isMidFrame)
            #expect(feed.violation == nil)
        }
    }

    @Test("Protos/README.md, Frame: byte by byte, isMidFrame is false only at the end of a frame")
    func byteByByte() {
        var feed = Feed(frameBytesMax: 512)
        var ends: Set<Int> = []
        for (index, byte) in stream.enumerated() {
            feed.take([byte])
            if !feed.isMidFrame { ends.insert(index + 1) }
        }
        #expect(feed.frames == bodies)
        #expect(ends == [5, 11, 315, 323])
    }

    @Test("Protos/README.md, Frame: a length of 0 is a violation, and earlier frames count")
    func empty() {
        var feed = Feed(frameBytesMax: 512)
        feed.take(framed([1]) + [0, 0, 0, 0, 9, 9])
        #expect(feed.frames == [[1]])
        #expect(feed.violation == .empty)
    }

    @Test(
        "Protos/README.md, Frame: a length over the limit is a violation before any body",
        arguments: [UInt32(513), 1 << 16, 1 << 31 - 1, 1 << 31, .max])
    func tooLarge(length: UInt32) {
        var feed = Feed(frameBytesMax: 512)
        feed.take(withUnsafeBytes(of: length.bigEndian) { Array($0) })
        #expect(feed.violation == .tooLarge)
    }

    @Test("Protos/README.md, Frame: a frame of exactly the limit is allowed")
    func atTheLimit() {
        var feed = Feed(frameBytesMax: 512)
        feed.take(framed([UInt8](repeating: 1, count: 512)))
        #expect(feed.frames.map(\.count) == [512])
    }

    @Test(
        "Protos/README.md, Frame: a limit raised by one frame holds for the next in the same read")
    func raised() {
        var feed = Feed(frameBytesMax: 4)
        let large = [UInt8](repeating: 7, count: 1_000)
        feed.take(framed([1]) + framed([2]) + framed(large), raisingAt: [2])
        #expect(feed.frames == [[1], [2], large])
        #expect(feed.violation == nil)
    }

    @Test("B9: discarding a partial frame wipes its bytes")
    func discarded() {
        var decoder = FrameDecoder()
        let half = decoder.take(ByteBuffer(bytes: framed([1, 2, 3]).dropLast()))
        decoder.store(half, from: 0)
        #expect(decoder.isMidFrame)
        // An empty read returns the stored bytes in the memory that they stay in.
        let stored = decoder.take(ByteBuffer())
        decoder.store(stored, from: 0)
        #expect(stored.readableBytes == 6)
        decoder.discard()
        #expect(!decoder.isMidFrame)
        #expect(stored.readableBytesView.allSatisfy { $0 == 0 })
    }

    @Test("a reader that stops gets no further frames")
    func stops() {
        var seen = 0
        let result = FrameDecoder.forEachFrame(
            in: ByteBuffer(bytes: stream), frameBytesMax: { 512 }
        ) { _, _ in
            seen += 1
            return seen < 2
        }
        #expect(seen == 2)
        #expect(result.consumed == 11)
        #expect(result.violation == nil)
    }
}
