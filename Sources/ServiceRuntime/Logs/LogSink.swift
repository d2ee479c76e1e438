import Glibc

/// The destination of complete log lines.
package protocol LogSink: Sendable {
    /// Writes one line, its newline included. May be called from any thread.
    func write(_ line: [UInt8])
}

/// Standard error. Each line is one write(2), so that lines of several threads or programs never
/// mix.
package struct StandardErrorSink: LogSink {
    private let descriptor: Int32

    /// A sink to file descriptor 2.
    package init() {
        self.init(descriptor: STDERR_FILENO)
    }

    /// A sink that writes to another descriptor.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes the line immediately.
    package func write(_ line: [UInt8]) {
        while Glibc.write(descriptor, line, line.count) < 0, errno == EINTR {}
        // Any other failure (a full disk, a closed pipe) loses this line: a service must not stop
        // answering because its log cannot be written.
    }
}
