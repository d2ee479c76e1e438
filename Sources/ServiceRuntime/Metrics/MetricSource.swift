/// Metrics that are collected only when the metrics page is read: values that change too often for
/// a shared counter (each call), and values that the operating system holds.
package protocol MetricSource: Sendable {
    /// Writes the current values.
    func write(to page: inout MetricsPage)
}

/// The metrics page while it is built. Several sources may add to one family; its `# TYPE` line is
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

    /// A histogram. `counts` has one element more than `bounds`, for values above all bounds.
    package mutating func histogram(
        _ name: String, _ labels: [Label], bounds: [Double], counts: [Int64], sum: Double
    ) {
        precondition(counts.count == bounds.count + 1, "counts has one element more than bounds")
        let name = full(name)
        families[name, default: "# TYPE \(name) histogram\n"] += Self.histogram(
            name, MetricLabels(labels), bounds: bounds, counts: counts, sum: sum)
    }

    /// The lines of a histogram.
    static func histogram(
        _ name: String, _ labels: MetricLabels, bounds: [Double], counts: [Int64], sum: Double
    ) -> String {
        var text = ""
        var total: Int64 = 0
        for (index, count) in counts.enumerated() {
            total &+= count
            let bound = index < bounds.count ? number(bounds[index]) : "+Inf"
            text += "\(name)_bucket\(labels.braces("le=\"\(bound)\"")) \(total)\n"
        }
        text += "\(name)_sum\(labels.braces()) \(number(sum))\n"
        return text + "\(name)_count\(labels.braces()) \(total)\n"
    }

    private mutating func line(
        _ name: String, _ type: String, _ labels: [Label], _ value: Double
    ) {
        let name = full(name)
        families[name, default: "# TYPE \(name) \(type)\n"] +=
            "\(name)\(MetricLabels(labels).braces()) \(MetricsPage.number(value))\n"
    }

    /// Prometheus' standard names for a process have no prefix, so that existing dashboards match.
    private func full(_ name: String) -> String {
        name.hasPrefix("process_") || prefix.isEmpty ? name : "\(prefix)_\(name)"
    }

    /// A number in Go's notation: `+Inf`, `-Inf`, `NaN`, and whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return String(value)
    }

    mutating func add(_ name: String, _ family: MetricFamily) {
        family.write(to: &families[name, default: ""])
    }

    /// The whole page, families in order of their names.
    var text: String {
        families.sorted { $0.key < $1.key }.map(\.value).joined()
    }
}
