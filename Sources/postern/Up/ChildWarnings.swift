import Glibc
import JSON

/// What a program warns of in its log, for the terminal of `postern up`: an operator who starts
/// everything for the first time does not read six logs.
///
///     level              event                              printed
///     warning, error     any but those below                once in ten minutes
///     warning, error     rpc.…                              no: peers that start or restart
///     error              process.start.failed               no: `postern up` ends with its reason
///     warning, error     store.server.awaited               no: part of what a start waits for
///     error              clock.far_ahead                    no: explained after "ready"
///     info, debug        any                                no
///
/// Attack: a warning shows more on the terminal, or in the journal of systemd, than the log would
/// to its readers. So only the message is printed, which is a constant of the program, and fields
/// that have names and numbers; never `detail`, which may have the text of an error.
struct ChildWarnings {
    /// Of a log that is read at once; what is before it is left out.
    private static let bytesMax = off_t(64 * 1024)
    /// Seconds until the same event is printed again.
    private static let pause = 600.0
    private static let unprinted = [
        "rpc.", "process.start.failed", "store.server.awaited", "clock.far_ahead",
    ]
    private static let fields = ["setting", "part", "peer", "reason", "file", "count"]

    private let path: String
    private var position: off_t
    /// When an event was printed, in seconds.
    private var printed: [String: Double] = [:]

    /// Those that the log at `path` gets from now on.
    init(_ path: String) {
        self.path = path
        position = Self.size(path)
    }

    /// A line for each that is new.
    /// - Parameter seconds: the time, of any clock that only goes forward.
    mutating func lines(at seconds: Double) -> [String] {
        unread().split(separator: UInt8(ascii: "\n")).compactMap(ChildLog.record).compactMap {
            line($0, at: seconds)
        }
    }

    private mutating func line(_ record: JSONObject, at seconds: Double) -> String? {
        let event = record["event"]?.string ?? ""
        guard ["warning", "error"].contains(record["level"]?.string ?? ""),
            !Self.unprinted.contains(where: { event.hasPrefix($0) }),
            printed[event].map({ seconds - $0 >= Self.pause }) ?? true,
            let message = record["message"]?.string
        else { return nil }
        printed[event] = seconds
        let fields = Self.fields.compactMap { name in
            Self.text(record[name]).map { "\(name) \($0)" }
        }
        return fields.isEmpty ? message : "\(message) (\(fields.joined(separator: ", ")))"
    }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// The complete lines that were written since the last call.
    private mutating func unread() -> [UInt8] {
        let size = Self.size(path)
        // The operator has rotated the log by copying.
        if size < position { position = 0 }
        guard size > position else { return [] }
        position = max(position, size - Self.bytesMax)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }  // it is looked at again
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Int(size - position))
        let count = pread(file, &buffer, buffer.count, position)
        let bytes = buffer[..<max(count, 0)]
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        position += off_t(end + 1)
        return Array(bytes[...end])
    }

    /// 0 for a log that does not exist yet.
    private static func size(_ path: String) -> off_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : 0
    }
}
