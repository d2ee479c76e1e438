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

/// Detects steps of the machine's clock (Sources/SECURITY.md, Clock). The program's own time
/// ignores steps while it runs, so a step appears as a gap between the two. Pure:
///
///     gap, in either direction   before     returned
///     a minute or less           together   nil
///     more than a minute         together   parted
///     more than a minute         parted     nil
///     a minute or less           parted     together
package struct ClockDrift: Sendable {
    /// A change to report.
    package enum News: Hashable, Sendable {
        /// The machine's clock is this far ahead; negative when it is behind.
        case parted(Duration)
        /// The two clocks agree again.
        case together
    }

    /// The largest gap that counts as agreement. Synchronised clocks differ by milliseconds.
    package static let gapMax: Duration = .seconds(60)

    private var isParted = false

    /// Two clocks that agree.
    package init() {}

    /// Records how far the machine's clock is ahead of the program's time.
    package mutating func note(ahead: Duration) -> News? {
        let parts = ahead > Self.gapMax || ahead < .zero - Self.gapMax
        guard parts != isParted else { return nil }
        isParted = parts
        return parts ? .parted(ahead) : .together
    }
}
