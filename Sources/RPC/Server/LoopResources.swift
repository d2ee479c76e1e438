import Messages
import NIOCore

/// What the connections of one event loop share: memory to decode in, and the executor of their
/// handlers. Idle connections then cost no arena each.
final class LoopResources {
    let arena = Arena()
    let executor: EventLoopTaskExecutor
    /// What this loop counts, once its first connection stands.
    var counts: LoopCounts?

    init(_ loop: any EventLoop) {
        executor = EventLoopTaskExecutor(loop)
    }
}
