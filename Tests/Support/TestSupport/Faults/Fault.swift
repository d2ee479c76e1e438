/// What a bad network does to the bytes of one direction of one connection. Faults with `after` let
/// that many bytes pass first, counted from when the fault began, so that a seeded test can cut
/// anywhere inside a frame.
package enum Fault: Sendable, Hashable {
    /// Passes everything.
    case none
    /// Passes everything. Each piece is delayed by the first duration plus a random part of the
    /// second.
    case latency(Duration, jitter: Duration)
    /// Passes nothing. Bytes that arrive wait in the proxy until the fault ends.
    case stall(after: Int)
    /// Passes one byte at a time, with at least this pause before the next one.
    case trickle(pause: Duration)
    /// Passes `count` bytes twice.
    case duplicate(after: Int, count: Int)
    /// Signals end of stream to the receiver and drops the rest. The other direction continues.
    case halfClose(after: Int)
    /// Closes both directions normally, in the middle of a message.
    case truncate(after: Int)
    /// Closes both directions with a reset (`SO_LINGER` 0), which discards bytes in transit.
    case reset(after: Int)
}

/// The faults of both directions of one connection.
package struct ConnectionFaults: Sendable, Hashable {
    /// From the client to the server.
    package var upwards: Fault
    /// From the server to the client.
    package var downwards: Fault

    /// Creates the faults of both directions.
    package init(upwards: Fault = .none, downwards: Fault = .none) {
        self.upwards = upwards
        self.downwards = downwards
    }

    /// A good network.
    package static let none = ConnectionFaults()
}
