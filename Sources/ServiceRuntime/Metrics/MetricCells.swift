import Metrics
import Synchronization

/// A whole number that only grows.
final class CounterCell: CounterHandler, MetricCell {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(name)\(labels.braces()) \(value.load(ordering: .relaxed))\n"
    }
}

/// A number that goes up and down: swift-metrics' gauge (a recorder that keeps the last value)
/// and its meter.
final class GaugeCell: RecorderHandler, MeterHandler, MetricCell {
    private let value = Atomic<UInt64>(0)

    func record(_ value: Int64) { self.value.set(Double(value)) }
    func record(_ value: Double) { self.value.set(value) }
    func set(_ value: Int64) { self.value.set(Double(value)) }
    func set(_ value: Double) { self.value.set(value) }
    func increment(by amount: Double) { value.add(amount) }
    func decrement(by amount: Double) { value.add(-amount) }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(name)\(labels.braces()) \(MetricsPage.number(value.double))\n"
    }
}

/// A `Double` that many threads may add to, stored as its bit pattern.
extension Atomic where Value == UInt64 {
    /// The current number.
    fileprivate var double: Double { Double(bitPattern: load(ordering: .relaxed)) }

    /// Replaces the number.
    fileprivate func set(_ value: Double) { store(value.bitPattern, ordering: .relaxed) }

    /// Adds to the number. Retries when another thread changed it meanwhile.
    fileprivate func add(_ amount: Double) {
        var known = load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: known) + amount
            let (done, now) = weakCompareExchange(
                expected: known, desired: sum.bitPattern, ordering: .relaxed)
            if done { return }
            known = now
        }
    }
}

/// A histogram of durations or amounts with fixed buckets: swift-metrics' timer and its aggregating
/// recorder. Recording a value is two atomic additions.
final class HistogramCell: TimerHandler, RecorderHandler, MetricCell {
    private let bounds: Bounds
    private let buckets: InlineArray<23, Atomic<Int64>>
    private let sum = Atomic<UInt64>(0)

    init(_ bounds: Bounds) {
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
        text += MetricsPage.histogram(
            name, labels, bounds: bounds.bounds.map { $0 / bounds.scale },
            counts: buckets.indices.map { buckets[$0].load(ordering: .relaxed) },
            sum: sum.double / bounds.scale)
    }

    /// The upper bounds of a histogram's buckets, in the recorded unit. They are fixed, so that the
    /// histograms of several processes can be added up.
    struct Bounds: Sendable {
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

        /// For durations: recorded in nanoseconds, exported in seconds, from 1 µs (token
        /// validation) to a minute (a provider that does not answer).
        static let durations = Bounds(
            [
                1e3, 5e3, 10e3, 25e3, 50e3, 100e3, 250e3, 500e3,
                1e6, 2.5e6, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 500e6,
                1e9, 2.5e9, 5e9, 10e9, 60e9,
            ], scale: 1e9)

        /// For counts and bytes: powers of two to 1,024, then powers of four to 1 GiB.
        static let amounts = Bounds(
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
}
