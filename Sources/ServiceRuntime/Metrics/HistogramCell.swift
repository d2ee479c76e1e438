import Metrics
import Synchronization

/// A histogram of durations or amounts with fixed buckets: swift-metrics' timer and its aggregating
/// recorder. Recording a value is two atomic additions.
final class HistogramCell: TimerHandler, RecorderHandler, MetricCell {
    private let bounds: HistogramBounds
    private let buckets: InlineArray<23, Atomic<Int64>>
    private let sum = AtomicDouble()

    init(_ bounds: HistogramBounds) {
        self.bounds = bounds
        buckets = InlineArray { _ in Atomic<Int64>(0) }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        // A NaN would make the sum NaN permanently.
        guard value.isFinite else { return }
        buckets[bounds.bucket(of: value)].wrappingAdd(1, ordering: .relaxed)
        sum.add(value)
    }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        var total: Int64 = 0
        for index in buckets.indices {
            total &+= buckets[index].load(ordering: .relaxed)
            let bound =
                index < bounds.bounds.count
                ? MetricNumber.text(bounds.bounds[index] / bounds.scale) : "+Inf"
            text += "\(name)_bucket\(labels.braces("le=\"\(bound)\"")) \(total)\n"
        }
        text += "\(name)_sum\(labels.braces()) \(MetricNumber.text(sum.get() / bounds.scale))\n"
        text += "\(name)_count\(labels.braces()) \(total)\n"
    }
}

/// The upper bounds of a histogram's buckets, in the recorded unit. They are fixed, so that the
/// histograms of several processes can be added up.
struct HistogramBounds: Sendable {
    /// The number of buckets with a bound. One more, without a bound, counts the larger values.
    static let count = 22

    /// The bounds in the recorded unit, ascending.
    let bounds: [Double]
    /// Prometheus gets the recorded number divided by this.
    let scale: Double

    private init(_ bounds: [Double], scale: Double) {
        precondition(bounds.count == Self.count, "HistogramCell has a counter for each bound")
        self.bounds = bounds
        self.scale = scale
    }

    /// For durations: recorded in nanoseconds, exported in seconds, from 1 µs (token validation) to
    /// a minute (a provider that does not answer).
    static let durations = HistogramBounds(
        [
            1e3, 5e3, 10e3, 25e3, 50e3, 100e3, 250e3, 500e3,
            1e6, 2.5e6, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 500e6,
            1e9, 2.5e9, 5e9, 10e9, 60e9,
        ], scale: 1e9)

    /// For counts and bytes: powers of two to 1,024, then powers of four to 1 GiB.
    static let amounts = HistogramBounds(
        [0]
            + (0...10).map { Double(1 << $0) }
            + (1...10).map { Double(1_024 << (2 * $0)) }, scale: 1)

    /// The bucket of `value`: the first whose bound is at least `value`.
    func bucket(of value: Double) -> Int {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
