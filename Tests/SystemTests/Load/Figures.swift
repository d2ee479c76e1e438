import TestSupport

/// Figures of a long run, for whoever asked for it.
enum Figures {
    /// Prints a line when `POSTERN_SOAK_ROUNDS` is set.
    static func tell(_ line: @autoclosure () -> String) {
        if SoakRounds.isLong { print(line()) }
    }

    /// What so many in a hundred of `durations` stay below.
    static func percentile(_ percent: Int, of durations: [Duration]) -> Duration {
        let sorted = durations.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }
}
