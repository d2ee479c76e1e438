import Messages
import NIOCore

/// What the connections of one event loop share: memory to decode in, and the executor of their
/// handlers. Idle connections then cost no arena each.
final class LoopResources {
    let arena = Arena()
    let executor: EventLoopTaskExecutor
    /// What this loop counts, once its first connection stands.
    var counts: LoopCounts?
    private var spare = ByteBuffer()

    init(_ loop: any EventLoop) {
        executor = EventLoopTaskExecutor(loop)
    }

    /// Largest buffer that is kept for the next, in bytes: what a side pauses at.
    private static let spareBytesMax = FrameLimits.outboundPauseBytes

    /// Gives `out` memory to write answers into, unless it has some.
    func lend(_ out: inout ByteBuffer) {
        if out.capacity == 0 { swap(&out, &spare) }
    }

    /// Empties `out`, and keeps its memory for the next that writes: a connection that is idle
    /// holds none, and one that is busy finds it warm.
    func takeBack(_ out: inout ByteBuffer) {
        // Leaves its memory to the socket's queue, if that still has it.
        out.clear(minimumCapacity: 0)
        if out.capacity > spare.capacity, out.capacity <= Self.spareBytesMax { swap(&out, &spare) }
        out = ByteBuffer()
    }
}
