import Synchronization

/// One wait on a stream. It can be cancelled from any thread, before the wait begins or later.
final class StreamTicket: Sendable {
    let isCancelled = Atomic(false)
}
