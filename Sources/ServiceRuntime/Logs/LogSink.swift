import Glibc

/// Where finished lines go.
package protocol LogSink: Sendable {
    /// Takes one line with its newline, whole. May be called from any thread.
    func write(_ line: [UInt8])
}

/// Standard error: one write(2) a line, so that lines never mix, whichever threads or programs
/// write them.
package struct StandardErrorSink: LogSink {
    private let descriptor: Int32

    /// A sink to file descriptor 2.
    package init() {
        self.init(descriptor: STDERR_FILENO)
    }

    /// A sink to another descriptor that stands in for it.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes the line at once.
    package func write(_ line: [UInt8]) {
        while Glibc.write(descriptor, line, line.count) < 0, errno == EINTR {}
        // Any other failure (a full disk, a reader that went away) loses this line: a service
        // must not stop answering because its log cannot be written.
    }
}
