import ServiceRuntime

/// The progress line of a backup. It is updated in place on a terminal, and omitted elsewhere.
struct BackupProgress {
    private static let interval = Duration.seconds(1)

    private let time: any Time
    private let show: (String) -> Void
    private var shown: Duration?

    init(time: any Time, show: @escaping (String) -> Void = ImportProgress.onTerminal) {
        self.time = time
        self.show = show
    }

    /// So much of a file was written, in bytes; the line is updated once a second.
    mutating func update(_ entry: BackupEntry, done: Int64, of total: Int64) {
        let now = time.uptime()
        if let shown, now - shown < Self.interval { return }
        shown = now
        show("\(entry.name): \(Self.size(done)) of \(Self.size(total))")
    }

    /// A number of bytes as text: `512 B`, `1.2 MB`.
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1_000 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes / 100, "kB")
        for larger in ["MB", "GB", "TB"] where tenths >= 10_000 {
            (tenths, unit) = (tenths / 1_000, larger)
        }
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
