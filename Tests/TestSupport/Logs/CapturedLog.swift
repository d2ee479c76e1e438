package import Logging
package import ServiceRuntime
import Synchronization

/// Keeps what the real log handler writes, so that a test sees the lines an operator would.
package final class CapturedLog: LogSink {
    private let written: Mutex<[[UInt8]]> = Mutex([])

    /// Nothing captured yet.
    package init() {}

    /// Keeps the line.
    package func write(_ line: [UInt8]) { written.withLock { $0.append(line) } }

    /// The lines so far, without their newlines.
    package var lines: [String] {
        written.withLock { lines in
            lines.map { String(decoding: $0.dropLast(), as: UTF8.self) }
        }
    }

    /// The bytes so far, as they would stand in a file.
    package var bytes: [UInt8] { written.withLock { Array($0.joined()) } }

    /// A logger of everything from `trace` on, whose lines are kept here.
    package func logger(service: String = "test", time: any Time = ManualTime()) -> Logger {
        .json(service: service, level: .trace, time: time, sink: self)
    }
}
