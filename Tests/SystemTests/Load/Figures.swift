import Foundation
import TestSupport

/// Figures of a long run, printed for `docker/bench.sh crowds` and `docker/soak.sh`.
enum Figures {
    /// Prints a line if `POSTERN_SOAK_ROUNDS` is set.
    static func tell(_ line: @autoclosure () -> String) {
        if SoakRounds.isLong { print(line()) }
    }

    /// Prints a figure in the benchmarks' format if `POSTERN_SOAK_ROUNDS` is set.
    static func tell(_ name: String, _ value: Double, _ unit: String) {
        tell("figure \(name) \(String(format: "%.2f", value)) \(unit)")
    }

    /// The same for a duration, in microseconds.
    static func tell(_ name: String, _ value: Duration) {
        tell(name, value / .microseconds(1), "µs")
    }

    /// The given percentile of `durations`.
    static func percentile(_ percent: Int, of durations: [Duration]) -> Duration {
        let sorted = durations.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }
}
