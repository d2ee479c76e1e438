import Metrics

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
