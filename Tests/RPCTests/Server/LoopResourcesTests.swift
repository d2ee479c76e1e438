import NIOCore
import NIOEmbedded
import Testing

@testable import RPC

@Suite("Write buffers shared by the connections of one event loop")
struct LoopResourcesTests {
    private let resources = LoopResources(EmbeddedEventLoop())

    /// The buffer of a connection that has written `count` bytes and is idle again.
    private func written(_ count: Int) -> ByteBuffer {
        var out = ByteBuffer()
        resources.provideSpare(&out)
        out.writeRepeatingByte(1, count: count)
        resources.reclaim(&out)
        return out
    }

    @Test("an idle connection holds no buffer, and the next one gets it empty with its capacity")
    func warm() {
        #expect(written(50_000).capacity == 0)
        var next = ByteBuffer()
        resources.provideSpare(&next)
        #expect(next.capacity >= 50_000)
        #expect(next.readableBytes == 0)
    }

    @Test("a connection that had nothing to write returns its buffer too")
    func silent() {
        _ = written(50_000)
        #expect(written(0).capacity == 0)
        var next = ByteBuffer()
        resources.provideSpare(&next)
        #expect(next.capacity >= 50_000)
    }

    @Test("a buffer over 1 MiB is not retained")
    func large() {
        _ = written(5_000_000)
        var next = ByteBuffer()
        resources.provideSpare(&next)
        #expect(next.capacity <= FrameLimits.outboundPauseBytes)
    }
}
