/// Figures that are kept elsewhere and written only when somebody asks for the metrics: what is
/// counted too often for a shared counter (each call), and what is read from the system.
package protocol MetricSource: Sendable {
    /// Writes the figures as they are now.
    func write(to page: inout MetricsPage)
}

/// The metrics' page while it is put together. Several sources may add to one family: its head is
/// written once.
package struct MetricsPage {
    /// One label with its value; the value is escaped.
    package typealias Label = (String, String)

    private let prefix: String
    private var families: [String: String] = [:]

    init(prefix: String) {
        self.prefix = prefix
    }

    /// A number that only grows; its name ends in `_total`.
    package mutating func counter(_ name: String, _ value: Double, _ labels: [Label] = []) {
        line(name, "counter", labels, value)
    }

    /// A number that goes up and down.
    package mutating func gauge(_ name: String, _ value: Double, _ labels: [Label] = []) {
        line(name, "gauge", labels, value)
    }

    /// How amounts are spread: `counts` has one more than `bounds`, for what is above them all.
    package mutating func histogram(
        _ name: String, _ labels: [Label], bounds: [Double], counts: [Int64], sum: Double
    ) {
        precondition(counts.count == bounds.count + 1, "each bound has a count, and the rest one")
        let (name, labels) = (full(name), MetricLabels(labels))
        var text = ""
        var total: Int64 = 0
        for (index, count) in counts.enumerated() {
            total &+= count
            let bound = index < bounds.count ? MetricNumber.text(bounds[index]) : "+Inf"
            text += "\(name)_bucket\(labels.braces("le=\"\(bound)\"")) \(total)\n"
        }
        text += "\(name)_sum\(labels.braces()) \(MetricNumber.text(sum))\n"
        text += "\(name)_count\(labels.braces()) \(total)\n"
        families[name, default: "# TYPE \(name) histogram\n"] += text
    }

    private mutating func line(
        _ name: String, _ type: String, _ labels: [Label], _ value: Double
    ) {
        let name = full(name)
        families[name, default: "# TYPE \(name) \(type)\n"] +=
            "\(name)\(MetricLabels(labels).braces()) \(MetricNumber.text(value))\n"
    }

    /// Prometheus' own names for a process carry no prefix, so that its ready-made charts fit.
    private func full(_ name: String) -> String {
        name.hasPrefix("process_") || prefix.isEmpty ? name : "\(prefix)_\(name)"
    }

    mutating func add(_ name: String, _ family: MetricFamily) {
        family.write(to: &families[name, default: ""])
    }

    /// The whole page, families in order of their names.
    var text: String {
        families.sorted { $0.key < $1.key }.map(\.value).joined()
    }
}
