/// How long one kind of call took, again and again, for comparing with another kind.
///
/// The fiftieth that took longest are left out: they are the disk's and the machine's.
package struct TimeSample: Sendable {
    private let kept: [Double]

    /// Times in microseconds, in any order.
    package init(_ times: [Double]) {
        kept = Array(times.sorted().prefix(times.count - times.count / 50))
    }

    /// The middle, in microseconds; 0 of none.
    package var median: Double { kept.isEmpty ? 0 : kept[kept.count / 2] }

    /// How far this one's middle lies from another's, as a part of the other.
    package func gap(to other: TimeSample) -> Double {
        abs(median - other.median) / max(other.median, 1e-9)
    }

    /// Welch's t of this one and another: how many standard errors their means lie apart.
    package func welchT(_ other: TimeSample) -> Double {
        (mean - other.mean) / max((squaredError + other.squaredError).squareRoot(), 1e-9)
    }

    private var mean: Double { kept.reduce(0, +) / Double(max(1, kept.count)) }

    private var squaredError: Double {
        let squares = kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return squares / Double(max(1, kept.count - 1)) / Double(max(1, kept.count))
    }
}
