import Dispatch
import Glibc
import ServiceLifecycle

/// A service that returns when its descriptor closes, which stops the program.
///
/// `postern up` holds the other end of its children's standard input. When it dies in any way, even
/// by `kill -9`, the kernel closes that end, so that no child outlives its parent.
package struct Lifeline: Service {
    private let descriptor: Int32

    /// Watches `descriptor`. Programs pass standard input, 0.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns when the descriptor closes, or the program stops.
    /// - Throws: Nothing; the protocol requires `throws`.
    package func run() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own that blocks in read(2), since read works for every kind of descriptor
        // and epoll supports neither files nor /dev/null. It stays blocked when the program stops
        // first, and ends with the process.
        DispatchQueue(label: "postern.lifeline").async { [descriptor] in
            while !Self.isClosed(descriptor) {}
            continuation.finish()
        }
        for await _ in closed.cancelOnGracefulShutdown() {}
    }

    /// Waits for input and discards it. True at the end of the input.
    private static func isClosed(_ descriptor: Int32) -> Bool {
        // Polls first: a descriptor that another program has made non-blocking (a terminal is
        // shared) would otherwise be read in a busy loop.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let count = withUnsafeMutableBytes(of: &bytes) {
            read(descriptor, $0.baseAddress, $0.count)
        }
        return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)
    }
}
