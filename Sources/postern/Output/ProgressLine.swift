import Glibc
import ServiceRuntime

/// A line about the progress of a command. It is updated in place on a terminal, and omitted
/// elsewhere.
struct ProgressLine {
    private let interval: Duration
    private let time: any Time
    private let print: (String) -> Void
    private var shownAt: Duration?

    /// - Parameter interval: The line is updated at most once in this time.
    init(
        every interval: Duration, time: any Time,
        print: @escaping (String) -> Void = ProgressLine.onTerminal
    ) {
        self.interval = interval
        self.time = time
        self.print = print
    }

    /// Shows the line of `text`, which is made of the uptime; not if the last one is too recent.
    mutating func update(_ text: (_ now: Duration) -> String) {
        let now = time.uptime()
        if let shownAt, now - shownAt < interval { return }
        shownAt = now
        print(text(now))
    }

    /// Prints the line on standard error, if that is a terminal.
    static func onTerminal(_ line: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // Moves to the beginning of the line, and clears it.
        let bytes = Array("\r\u{1b}[K\(line)".utf8)
        // A failure to print the progress does not stop the command.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
