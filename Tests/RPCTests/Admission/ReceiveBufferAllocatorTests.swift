import NIOCore
import Testing

@testable import RPC

@Suite("Receive buffer sizes")
struct ReceiveBufferAllocatorTests {
    @Test("the buffer doubles with full reads up to 64 KiB and shrinks after small ones")
    func sizes() {
        var receiving = ReceiveBufferAllocator()
        #expect(receiving.buffer(allocator: ByteBufferAllocator()).capacity == 1_024)
        for _ in 0..<10 { _ = receiving.record(actualReadBytes: receiving.bytes) }
        #expect(receiving.bytes == 65_536)
        #expect(receiving.buffer(allocator: ByteBufferAllocator()).capacity == 65_536)
        _ = receiving.record(actualReadBytes: 1)
        _ = receiving.record(actualReadBytes: 40_000)
        _ = receiving.record(actualReadBytes: 1)
        #expect(receiving.bytes == 65_536)
        for _ in 0..<20 { _ = receiving.record(actualReadBytes: 1) }
        #expect(receiving.bytes == 1_024)
    }

    @Test("NIO keeps no buffer between reads")
    func keepsNone() {
        var receiving = ReceiveBufferAllocator()
        #expect(receiving.nextBufferSize() == nil)
        for bytes in [0, 1, 1_024, 1 << 40] {
            #expect(receiving.record(actualReadBytes: bytes) == true)
        }
    }
}
