import ServiceRuntime

/// The progress line of an import.
struct ImportProgress {
    private let startedAt: Duration
    private let byteCount: Int64?
    private let start: Int64
    private var shown: ProgressLine

    /// - Parameters:
    ///   - byteCount: size of the whole file, if known.
    ///   - start: the position in the file at which the import begins.
    init(
        byteCount: Int64?, start: Int64, time: any Time, show: @escaping (String) -> Void
    ) {
        self.byteCount = byteCount
        self.start = start
        shown = ProgressLine(every: .milliseconds(500), time: time, print: show)
        startedAt = time.uptime()
    }

    /// Records up to `position` are done; the line is updated twice a second.
    mutating func update(_ counts: ImportRun.Counts, position: Int64) {
        let progress = self
        shown.update { progress.line(counts, position: position, now: $0) }
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
