import Cryptography
import Glibc
import JSON
import ServiceRuntime

/// The progress line of an import. It is updated in place on a terminal, and omitted elsewhere.
struct ImportProgress {
    private static let interval: Duration = .milliseconds(500)

    private let time: any Time
    private let begun: Duration
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
        begun = time.uptime()
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
    mutating func note(_ counts: ImportCounts, position: Int64) {
        let now = time.uptime()
        if let shown, now - shown < Self.interval { return }
        shown = now
        show(line(counts, position: position, now: now))
    }

    func line(_ counts: ImportCounts, position: Int64, now: Duration) -> String {
        let seconds = max(
            0.001,
            Double((now - begun).components.seconds)
                + Double((now - begun).components.attoseconds) / 1e18)
        var parts = [
            "\(counts.total) accounts", "\(Int(Double(counts.total) / seconds))/s",
            "\(counts.refused) refused",
        ]
        if let byteCount, byteCount > start, position > start {
            let share = Double(position - start) / Double(byteCount - start)
            parts.append("\(Int(100 * Double(position) / Double(byteCount))) % of the file")
            parts.append("\(Self.words(seconds / share - seconds)) left")
        }
        return parts.joined(separator: ", ")
    }

    private static func words(_ seconds: Double) -> String {
        let seconds = Int(max(0, seconds.rounded(.up)))
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}

/// The results of an import, for its progress line and its summary.
struct ImportCounts: Hashable, Sendable {
    var created = 0
    var unchanged = 0
    var refused = 0
    /// Records that were left out, and data that the file lacks, by kind.
    var lost: [String: Int] = [:]
    /// Fields that were invalid and were left out or truncated, by field.
    var altered: [String: Int] = [:]

    /// Number of processed records, without those that contained nothing to import.
    var total: Int { created + unchanged + refused }

    /// The summary: imported and rejected records, and data that the file lacks.
    var lines: [String] {
        var lines = [
            "\(created) accounts were imported, \(unchanged) had been imported before, "
                + "\(refused) were rejected"
        ]
        lines += lost.sorted { $0.key < $1.key }.map {
            "  not in the file: \($0.value) × \($0.key)"
        }
        lines += altered.sorted { $0.key < $1.key }
            .map { "  invalid, left out or truncated: \($0.value) × \($0.key)" }
        return lines
    }
}

/// The progress of an import, in a file beside the imported one, so that a stopped import can be
/// resumed. If it is lost or outdated only time is lost: the service recognises accounts that it
/// has imported.
struct ImportPosition: Hashable {
    /// The end of the last record before which all records are done.
    let offset: Int64
    /// The size of the imported file: the position is ignored for a file of another size.
    let byteCount: Int64

    /// The position that an earlier run has written to `path`; nil if there is none.
    static func read(_ path: String, byteCount: Int64) -> ImportPosition? {
        // If there is no such file, or it is invalid, the import starts from the beginning.
        guard let bytes = try? TextFile.read(path), let object = JSONReader.object(in: bytes),
            let offset = object["offset"]?.integer, object["bytes"]?.integer == byteCount,
            (0...byteCount).contains(offset)
        else { return nil }
        return ImportPosition(offset: offset, byteCount: byteCount)
    }

    /// Replaces the file.
    func write(_ path: String) throws {
        try TextFile.replace(
            path,
            with: JSONWriter.text(["offset": .integer(offset), "bytes": .integer(byteCount)])
                + "\n")
    }

    /// Removes the file after a complete import.
    static func remove(_ path: String) { _ = unlink(path) }
}
