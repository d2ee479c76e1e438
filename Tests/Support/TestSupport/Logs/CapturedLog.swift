package import Logging
package import ServiceRuntime
import Synchronization

/// Records the output of the real log handler, so that a test sees the lines that an operator would
/// see.
package final class CapturedLog: LogSink {
    private let written: Mutex<[[UInt8]]> = Mutex([])

    /// Creates an empty log.
    package init() {}

    /// Records one line.
    package func write(_ line: [UInt8]) { written.withLock { $0.append(line) } }

    /// The lines so far, without their newlines.
    package var lines: [String] {
        written.withLock { lines in
            lines.map { String(decoding: $0.dropLast(), as: UTF8.self) }
        }
    }

    /// All bytes so far, as they would be in a file.
    package var bytes: [UInt8] { written.withLock { Array($0.joined()) } }

    /// The lines about flows that computed for long while they held their locks on a server.
    package var costlyFlows: [String] { lines.filter { $0.contains("store.flow.costly") } }

    /// A logger with level `trace` that writes here.
    package func logger(service: String = "test", time: any Time = ManualTime()) -> Logger {
        .json(service: service, level: .trace, time: time, sink: self)
    }
}
