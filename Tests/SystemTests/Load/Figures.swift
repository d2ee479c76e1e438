import Foundation
import TestSupport

/// Figures of a long run, for whoever asked for it: `docker/bench.sh crowds` and `docker/soak.sh`.
enum Figures {
    /// Prints a line when `POSTERN_SOAK_ROUNDS` is set.
    static func tell(_ line: @autoclosure () -> String) {
        if SoakRounds.isLong { print(line()) }
    }

    /// Prints a figure as the benchmarks print theirs, when `POSTERN_SOAK_ROUNDS` is set.
    static func tell(_ name: String, _ value: Double, _ unit: String) {
        tell("figure \(name) \(String(format: "%.2f", value)) \(unit)")
    }

    /// The same of a time, in microseconds.
    static func tell(_ name: String, _ value: Duration) {
        tell(name, value / .microseconds(1), "µs")
    }

    /// What so many in a hundred of `durations` stay below.
    static func percentile(_ percent: Int, of durations: [Duration]) -> Duration {
        let sorted = durations.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }
}
