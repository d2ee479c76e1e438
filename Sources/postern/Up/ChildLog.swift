import Glibc
import JSON
import ServiceRuntime

/// A program's log since it was started.
struct ChildLog {
    private static let bytesMax = 16 * 1024
    /// A line has any of our fields, and texts from anywhere.
    private static let options = JSONReader.Options(membersMax: .max, acceptsNUL: true)

    private let path: String
    private let start: off_t

    /// The part of the log at `path` that is written from now on; earlier starts have written to it
    /// too.
    init(_ path: String) {
        var status = stat()
        self.path = path
        start = stat(path, &status) == 0 ? status.st_size : 0
    }

    /// The log at `path` with what earlier starts have written.
    init(whole path: String) { (self.path, start) = (path, 0) }

    /// The message of the last error; if there is none, the last lines unchanged.
    var reason: String {
        let lines = lines().suffix(5)
        let error = lines.compactMap(Self.record).last { $0["level"]?.string == "error" }
        if let error { return error["detail"]?.string ?? error["message"]?.string ?? "" }
        return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    /// How far the machine's clock was ahead, if the program has logged that it waits for
    /// confirmation of the clock; otherwise nil.
    var clockAhead: Duration? {
        let record = lines().compactMap(Self.record).last {
            $0["event"]?.string == ClockHold.farAheadEvent
        }
        return switch record?["milliseconds"] {
        case .integer(let number): .milliseconds(number)
        case .real(let number): Int64(exactly: number.rounded()).map { .milliseconds($0) }
        default: nil
        }
    }

    /// The events that say how a start went.
    private static let startEvents = [
        "process.ready", "process.start.failed", "process.waiting", "store.server.awaited",
    ]

    /// Why the last start has failed, or what it waits for; nil if the program was ready.
    var obstacle: String? {
        let record = lines().compactMap(Self.record).last {
            Self.startEvents.contains($0["event"]?.string ?? "")
        }
        guard let record, record["event"]?.string != "process.ready" else { return nil }
        return record["detail"]?.string ?? record["message"]?.string
    }

    /// What a start that is not ready does: what it waits for, or the last that it has logged.
    var waiting: String {
        let last = lines().compactMap(Self.record).last?["message"]?.string
        return (obstacle ?? last.map { "its last message: \($0)" } ?? "it has logged nothing")
            + "; see \(path)"
    }

    private func lines() -> [ArraySlice<UInt8>] {
        written().split(separator: UInt8(ascii: "\n"))
    }

    /// Returns nil for a line that is not a log record, such as a loader's error; it is shown
    /// unchanged.
    static func record(_ line: ArraySlice<UInt8>) -> JSONObject? {
        // Not JSON, or cut off at the beginning of what was read.
        guard case .object(let object)? = try? JSONReader.value(in: Array(line), options),
            ["level", "event", "message"].allSatisfy({ object[$0]?.string != nil })
        else { return nil }
        return object
    }

    private func written() -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }  // the error is reported without it
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.bytesMax)
        let end = lseek(file, 0, SEEK_END)
        let count = pread(file, &buffer, buffer.count, max(start, end - off_t(Self.bytesMax)))
        return Array(buffer[..<max(count, 0)])
    }
}
