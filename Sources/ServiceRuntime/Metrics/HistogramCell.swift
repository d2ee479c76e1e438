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
