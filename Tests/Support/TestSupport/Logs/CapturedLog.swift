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

    /// The lines about flows that computed for long while they held their locks on a server. Tests
    /// are built without optimization, and take some times as long as programs do.
    package func costlyFlows(above milliseconds: Int = 1_000) -> [String] {
        lines.filter { line in
            guard line.contains("store.flow.costly"),
                let found = line.firstMatch(of: /"milliseconds":([0-9]+)/)
            else { return false }
            return Int(found.1) ?? .max > milliseconds
        }
    }

    /// A logger with level `trace` that writes here.
    package func logger(service: String = "test", time: any Time = ManualTime()) -> Logger {
        .json(service: service, level: .trace, time: time, sink: self)
    }
}
