import NIOCore
import NIOEmbedded
import Testing

@testable import RPC

@Suite("Memory that connections of one loop lend each other")
struct LoopResourcesTests {
    private let resources = LoopResources(EmbeddedEventLoop())

    /// What a connection holds that has written `count` bytes and is idle again.
    private func written(_ count: Int) -> ByteBuffer {
        var out = ByteBuffer()
        resources.lend(&out)
        out.writeRepeatingByte(1, count: count)
        resources.takeBack(&out)
        return out
    }

    @Test("an idle connection holds none, and the next finds it warm and empty")
    func warm() {
        #expect(written(50_000).capacity == 0)
        var next = ByteBuffer()
        resources.lend(&next)
        #expect(next.capacity >= 50_000)
        #expect(next.readableBytes == 0)
    }

    @Test("one that read and had nothing to say gives it back too")
    func silent() {
        _ = written(50_000)
        #expect(written(0).capacity == 0)
        var next = ByteBuffer()
        resources.lend(&next)
        #expect(next.capacity >= 50_000)
    }

    @Test("what is over 1 MiB is not kept")
    func large() {
        _ = written(5_000_000)
        var next = ByteBuffer()
        resources.lend(&next)
        #expect(next.capacity <= FrameLimits.outboundPauseBytes)
    }
}
