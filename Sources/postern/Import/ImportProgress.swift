import Glibc
import ServiceRuntime

/// The progress line of an import. It is updated in place on a terminal, and omitted elsewhere.
struct ImportProgress {
    private static let interval: Duration = .milliseconds(500)

    private let time: any Time
    private let startedAt: Duration
    private let byteCount: Int64?
    private let start: Int64
    private let show: (String) -> Void
    private var shown: Duration?

    /// - Parameters:
    ///   - byteCount: size of the whole file, if known.
    ///   - start: the position in the file at which the import begins.
    init(
        byteCount: Int64?, start: Int64, time: any Time, show: @escaping (String) -> Void
    ) {
        self.byteCount = byteCount
        self.start = start
        self.time = time
        self.show = show
        startedAt = time.uptime()
    }

    /// Prints the line on standard error, if that is a terminal.
    static func onTerminal(_ line: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // Moves to the beginning of the line, and clears it.
        let bytes = Array("\r\u{1b}[K\(line)".utf8)
        // A failure to print the progress does not stop the import.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Records up to `position` are done; the line is updated twice a second.
    mutating func update(_ counts: ImportRun.Counts, position: Int64) {
        let now = time.uptime()
        if let shown, now - shown < Self.interval { return }
        shown = now
        show(line(counts, position: position, now: now))
    }

    func line(_ counts: ImportRun.Counts, position: Int64, now: Duration) -> String {
        let seconds = max(
            0.001,
            Double((now - startedAt).components.seconds)
                + Double((now - startedAt).components.attoseconds) / 1e18)
        var parts = [
            "\(counts.total) accounts", "\(Int(Double(counts.total) / seconds))/s",
            "\(counts.refused) refused",
        ]
        if let byteCount, byteCount > start, position > start {
            let share = Double(position - start) / Double(byteCount - start)
            parts.append("\(Int(100 * Double(position) / Double(byteCount))) % of the file")
            parts.append("\(Self.text(seconds / share - seconds)) left")
        }
        return parts.joined(separator: ", ")
    }

    private static func text(_ seconds: Double) -> String {
        let seconds = Int(max(0, seconds.rounded(.up)))
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}
