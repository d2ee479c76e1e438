import NIOCore
import Synchronization

/// Represents all holders of a client's end of a stream: when the last reference is released, the
/// call is abandoned.
final class StreamUser: Sendable {
    let stream: CallStream

    init(_ stream: CallStream) {
        self.stream = stream
    }

    deinit {
        guard !stream.isOver.load(ordering: .acquiring) else { return }
        stream.loop.execute { [stream] in stream.giveUp?() }
    }
}
