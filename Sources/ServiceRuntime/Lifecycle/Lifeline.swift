import Dispatch
import Glibc
import ServiceLifecycle

/// Ends when its descriptor closes, and with it the program.
///
/// `postern up` holds the other end of its children's standard input. However it dies, `kill -9`
/// too, the kernel closes that end, so that no child stays behind without its parent.
package struct Lifeline: Service {
    private let descriptor: Int32

    /// The lifeline that ends when `descriptor` closes; programs pass standard input, 0.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns when the descriptor closes, or the program stops.
    package func run() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own that blocks in read(2), which ends for every kind of descriptor;
        // epoll takes no files and no /dev/null. It stays blocked when the program stops first,
        // and goes with it.
        DispatchQueue(label: "postern.lifeline").async { [descriptor] in
            while !Self.isClosed(descriptor) {}
            continuation.finish()
        }
        for await _ in closed.cancelOnGracefulShutdown() {}
    }

    /// Waits for input and reads it away, for it means nothing; true at the end.
    private static func isClosed(_ descriptor: Int32) -> Bool {
        // Polled first, since a descriptor that another program has made non-blocking (a terminal
        // is shared) would otherwise be read in a busy loop.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let count = withUnsafeMutableBytes(of: &bytes) {
            read(descriptor, $0.baseAddress, $0.count)
        }
        return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)
    }
}
