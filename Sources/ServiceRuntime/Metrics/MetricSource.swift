/// Metrics that are collected only when the metrics page is read: values that change too often for
/// a shared counter (each call), and values that the operating system holds.
package protocol MetricSource: Sendable {
    /// Writes the current values.
    func write(to page: inout MetricsPage)
}

/// The metrics page while it is built. Several sources may add to one family; its `# HELP` and
/// `# TYPE` lines are written once.
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
        let lines = Self.histogram(
            name, MetricLabels(labels), bounds: bounds, counts: counts, sum: sum)
        add(lines, to: name, "histogram")
    }

    /// The lines of a histogram. A bucket is left out while it and the next one are empty: two
    /// thirds of the lines of an idle program would be such buckets. `le="+Inf"`, `_sum` and
    /// `_count` are always written.
    ///
    /// - Sums: an absent bucket adds nothing, as a 0 would. A bucket above a written one is always
    ///   written, even if it repeats the number: otherwise `sum by (le)` over series that lack
    ///   different buckets would not be cumulative.
    /// - Quantiles: one empty bucket is written, below the lowest one with a value. Its bound is
    ///   the lower end of the range in which `histogram_quantile` interpolates.
    /// - `rate()`: a bucket that appears stays until the process ends. Prometheus does not count
    ///   the value with which a series begins. Lower buckets begin later, so for one window values
    ///   look larger, never smaller, and the first values of a histogram look larger than all
    ///   bounds. `le="+Inf"`, `_sum` and `_count` begin at 0 and are exact.
    static func histogram(
        _ name: String, _ labels: MetricLabels, bounds: [Double], counts: [Int64], sum: Double
    ) -> String {
        var text = ""
        var total: Int64 = 0
        for (index, bound) in bounds.enumerated() {
            total &+= counts[index]
            guard total &+ counts[index + 1] > 0 else { continue }
            text += "\(name)_bucket\(labels.braces("le=\"\(number(bound))\"")) \(total)\n"
        }
        total &+= counts[bounds.count]
        text += "\(name)_bucket\(labels.braces("le=\"+Inf\"")) \(total)\n"
        text += "\(name)_sum\(labels.braces()) \(number(sum))\n"
        return text + "\(name)_count\(labels.braces()) \(total)\n"
    }

    private mutating func line(
        _ name: String, _ type: String, _ labels: [Label], _ value: Double
    ) {
        let name = full(name)
        add("\(name)\(MetricLabels(labels).braces()) \(Self.number(value))\n", to: name, type)
    }

    private mutating func add(_ lines: String, to name: String, _ type: String) {
        if families[name] == nil { families[name] = header(of: name, type) }
        families[name, default: ""] += lines
    }

    /// The lines above a family's series.
    private func header(of name: String, _ type: String) -> String {
        let isPrefixed = !prefix.isEmpty && name.hasPrefix(prefix + "_")
        let known = isPrefixed ? String(name.dropFirst(prefix.count + 1)) : name
        let help = MetricCatalogue[known].map { "# HELP \(name) \($0.help)\n" } ?? ""
        return "\(help)# TYPE \(name) \(type)\n"
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
        add(family.lines, to: name, family.kind.type)
    }

    /// The whole page, families in order of their names.
    var text: String {
        families.sorted { $0.key < $1.key }.map(\.value).joined()
    }
}
