/// What a bad network does to the bytes of one direction of one connection. Faults that say
/// `after` let that many bytes pass first, counted from when the fault began, so that a seeded test
/// can cut anywhere inside a frame.
package enum Fault: Sendable, Hashable {
    /// Passes everything on.
    case none
    /// Passes everything on, each piece late by the first and up to the second besides.
    case latency(Duration, jitter: Duration)
    /// Passes nothing on; what comes waits here until the fault ends.
    case stall(after: Int)
    /// Passes one byte at a time, with at least this pause before the next.
    case trickle(pause: Duration)
    /// Passes `count` bytes twice.
    case duplicate(after: Int, count: Int)
    /// Tells the receiver that the sender has ended, and drops the rest; the other direction goes on.
    case halfClose(after: Int)
    /// Ends both directions in good order, in the middle of what was being said.
    case truncate(after: Int)
    /// Ends both directions by a reset (`SO_LINGER` 0), which throws away what was under way.
    case reset(after: Int)
}

/// The faults of both directions of one connection.
package struct ConnectionFaults: Sendable, Hashable {
    /// From the caller to the server.
    package var upwards: Fault
    /// From the server to the caller.
    package var downwards: Fault

    /// Faults of both directions.
    package init(upwards: Fault = .none, downwards: Fault = .none) {
        self.upwards = upwards
        self.downwards = downwards
    }

    /// A good network.
    package static let none = ConnectionFaults()
}
