/// Repeated timings of one kind of call, for comparison with another kind.
///
/// The slowest fiftieth is left out, because the disk and the scheduler cause it.
package struct TimeSample: Sendable {
    private let samples: [Double]

    /// Times in microseconds, in any order.
    package init(_ times: [Double]) {
        samples = Array(times.sorted().prefix(times.count - times.count / 50))
    }

    /// The median in microseconds; 0 if there are no timings.
    package var median: Double { samples.isEmpty ? 0 : samples[samples.count / 2] }

    /// The distance between this median and another's, as a fraction of the other.
    package func gap(to other: TimeSample) -> Double {
        abs(median - other.median) / max(other.median, 1e-9)
    }

    /// Welch's t of this sample and another: how many standard errors their means are apart.
    package func welchT(_ other: TimeSample) -> Double {
        (mean - other.mean) / max((squaredError + other.squaredError).squareRoot(), 1e-9)
    }

    private var mean: Double { samples.reduce(0, +) / Double(max(1, samples.count)) }

    private var squaredError: Double {
        let squares = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return squares / Double(max(1, samples.count - 1)) / Double(max(1, samples.count))
    }
}
