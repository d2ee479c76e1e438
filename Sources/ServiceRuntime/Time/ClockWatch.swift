package import Logging
package import Metrics

/// Watches the machine's clock. Reports a step with a log line and the gauge `clock_ahead_seconds`.
package struct ClockWatch: Sendable {
    /// The interval between two checks, so a step is reported within this time.
    package static let interval: Duration = .seconds(10)

    private let time: any Time
    private let logger: Logger
    private let ahead: Gauge

    /// Watches the clock that `time` reads.
    package init(time: any Time, logger: Logger, metrics: any MetricsFactory) {
        self.time = time
        self.logger = logger
        ahead = Gauge(label: "clock_ahead_seconds", dimensions: [], factory: metrics)
    }

    /// Watches until cancelled.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func run() async throws {
        var drift = ClockDrift()
        while true {
            check(&drift)
            try await time.sleep(for: Self.interval)
        }
    }

    /// Checks once.
    package func check(_ drift: inout ClockDrift) {
        let gap = time.wallClock() - time.now()
        ahead.record(Double(gap.milliseconds) / 1_000)
        switch drift.note(ahead: gap) {
        case .parted(let gap):
            logger.error(
                "clock.stepped", "the machine's clock was stepped; this program keeps its own time",
                fields: [.milliseconds: .integer(gap.milliseconds)])
        case .together:
            logger.warning("clock.agrees", "the machine's clock agrees again", fields: [:])
        case nil: break
        }
    }
}
