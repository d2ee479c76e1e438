import Synchronization

/// One wait on a stream, so that it can be called off from any thread, before it begins or later.
final class StreamTicket: Sendable {
    let isCancelled = Atomic(false)
}
