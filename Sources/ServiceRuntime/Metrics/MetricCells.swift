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

/// A number that goes up and down: swift-metrics' gauge (a recorder that keeps the last value)
/// and its meter.
final class GaugeCell: RecorderHandler, MeterHandler, MetricCell {
    private let value = AtomicDouble()

    func record(_ value: Int64) { self.value.set(Double(value)) }
    func record(_ value: Double) { self.value.set(value) }
    func set(_ value: Int64) { self.value.set(Double(value)) }
    func set(_ value: Double) { self.value.set(value) }
    func increment(by amount: Double) { value.add(amount) }
    func decrement(by amount: Double) { value.add(-amount) }

    func write(_ name: String, _ labels: MetricLabels, to text: inout String) {
        text += "\(name)\(labels.braces()) \(MetricNumber.text(value.get()))\n"
    }
}

/// A `Double` that many threads may add to, stored as its bit pattern.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The current number.
    func get() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Replaces the number.
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Adds to the number. Retries when another thread changed it meanwhile.
    func add(_ amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: known) + amount
            let (done, now) = bits.weakCompareExchange(
                expected: known, desired: sum.bitPattern, ordering: .relaxed)
            if done { return }
            known = now
        }
    }
}

/// Numbers in the exposition format.
enum MetricNumber {
    /// Go's notation: `+Inf`, `-Inf`, `NaN`, and whole numbers without a fraction.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return String(value)
    }
}
