package import Logging
package import Metrics

/// Watches the machine's clock (Sources/SECURITY.md, Clock). The program's own time ignores steps
/// while it runs, so a step appears as a gap between the two. Each change is logged once:
///
///     gap, in either direction   before     logged
///     a minute or less           together   nothing
///     more than a minute         together   `clock.stepped`
///     more than a minute         apart      nothing
///     a minute or less           apart      `clock.agrees`
///
/// The gauge `clock_ahead_seconds` has the gap itself.
package struct ClockWatch: Sendable {
    /// The interval between two checks, so a step is reported within this time.
    private static let interval: Duration = .seconds(10)
    /// The largest gap that counts as agreement. Synchronised clocks differ by milliseconds.
    static let gapMax: Duration = .seconds(60)

    private let time: any Time
    private let logger: Logger
    private let ahead: Gauge
    private var isApart = false

    /// Watches the clock that `time` reads.
    package init(time: any Time, logger: Logger, metrics: any MetricsFactory) {
        self.time = time
        self.logger = logger
        ahead = Gauge(label: "clock_ahead_seconds", dimensions: [], factory: metrics)
    }

    /// Whether clocks that differ by `gap`, in either direction, do not agree.
    package static func isStep(_ gap: Duration) -> Bool { gap > gapMax || gap < .zero - gapMax }

    /// Watches until cancelled.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func run() async throws {
        var watch = self
        while true {
            watch.check()
            try await time.sleep(for: Self.interval)
        }
    }

    /// Checks once.
    package mutating func check() {
        let gap = time.wallClock() - time.now()
        ahead.record(Double(gap.milliseconds) / 1_000)
        guard Self.isStep(gap) != isApart else { return }
        isApart.toggle()
        if isApart {
            logger.error(
                "clock.stepped", "the machine's clock was stepped; this program keeps its own time",
                fields: [.milliseconds: .integer(gap.milliseconds)])
        } else {
            logger.warning("clock.agrees", "the machine's clock agrees again", fields: [:])
        }
    }
}
