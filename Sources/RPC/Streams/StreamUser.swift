import NIOCore
import Synchronization

/// Stands for all who hold an end of a client's stream: when the last has let go, the call is
/// given up.
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
