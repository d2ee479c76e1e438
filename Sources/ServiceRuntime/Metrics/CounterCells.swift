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

/// A floating-point number that only grows.
final class FloatingCounterCell: FloatingPointCounterHandler, MetricCell {
    private let value = AtomicDouble()

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.add(amount)
    }

    func reset() { value.set(0) }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(name)\(labels.braces()) \(MetricNumber.text(value.get()))\n"
    }
}
