/// The storage of one series.
protocol MetricCell: AnyObject, Sendable {
    /// Writes the lines of the series.
    func write(_ name: String, _ labels: MetricLabels, to text: inout String)
}

/// All series with one name.
struct MetricFamily: Sendable {
    let kind: MetricFamily.Kind
    private let name: String
    private var series: [MetricLabels: any MetricCell] = [:]

    init(name: String, kind: MetricFamily.Kind) {
        self.name = name
        self.kind = kind
    }

    /// The cell for `labels`. Once the family has `seriesMax` series, new ones share the cell whose
    /// labels are all `other`.
    mutating func cell(
        _ labels: MetricLabels, seriesMax: Int, _ make: () -> some MetricCell
    ) -> any MetricCell {
        if let cell = series[labels] { return cell }
        let labels = series.count < seriesMax ? labels : labels.folded
        if let cell = series[labels] { return cell }
        let cell = make()
        series[labels] = cell
        return cell
    }

    /// Writes the family's type and its series. There is no `# HELP`: swift-metrics has no place
    /// for the text where a metric is made, and a list of all modules' metrics elsewhere would soon
    /// differ from them. The metrics to watch are explained in docker/README.md.
    func write(to text: inout String) {
        text += "# TYPE \(name) \(kind.type)\n"
        for (labels, cell) in series.sorted(by: { $0.key < $1.key }) {
            cell.write(name, labels, to: &text)
        }
    }

    /// The kind of a metric family. Decides its name's suffix and its `# TYPE`.
    enum Kind {
        /// Only grows.
        case counter
        /// Goes up and down.
        case gauge
        /// A distribution of amounts.
        case histogram
        /// A distribution of durations, in seconds.
        case timer

        /// Prometheus' name of the type.
        var type: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram, .timer: "histogram"
            }
        }

        /// The suffix that Prometheus' naming conventions require.
        var ending: String {
            switch self {
            case .counter: "_total"
            case .gauge, .histogram: ""
            case .timer: "_seconds"
            }
        }
    }
}

/// The labels of one series, in Prometheus' format: `method="…",code="…"`.
struct MetricLabels: Hashable, Comparable, Sendable {
    /// The value of each label once a family has too many series.
    static let other = "other"
    /// The largest size of one value, in bytes. Longer values are truncated.
    static let valueBytesMax = 128

    private let names: [String]
    private let text: String

    /// The labels from swift-metrics' dimensions, sorted by name, each name once.
    init(_ dimensions: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in dimensions { values[MetricName.label(name)] = value }
        self.init(values)
    }

    private init(_ values: [String: String]) {
        names = values.keys.sorted()
        text = names.map { "\($0)=\"\(Self.escaped(values[$0] ?? ""))\"" }.joined(separator: ",")
    }

    /// The same labels with `other` for each value.
    var folded: MetricLabels {
        MetricLabels(Dictionary(uniqueKeysWithValues: names.map { ($0, Self.other) }))
    }

    /// The labels in braces, with `more` appended. Empty where there is no label.
    func braces(_ more: String = "") -> String {
        let parts = [text, more].filter { !$0.isEmpty }
        return parts.isEmpty ? "" : "{" + parts.joined(separator: ",") + "}"
    }

    static func < (left: MetricLabels, right: MetricLabels) -> Bool { left.text < right.text }

    /// Escaped as the exposition format requires, so that a value cannot end its line or its
    /// quotes.
    private static func escaped(_ value: String) -> String {
        var text = ""
        var bytes = 0
        for scalar in value.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > valueBytesMax { break }
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// Converts names to those that Prometheus allows.
/// Source: https://prometheus.io/docs/concepts/data_model/
enum MetricName {
    /// A family's name: the prefix, swift-metrics' label, and the suffix of its kind.
    static func family(_ label: String, _ kind: MetricFamily.Kind, prefix: String) -> String {
        let name = allowed(prefix.isEmpty ? label : prefix + "_" + label)
        return name.hasSuffix(kind.ending) ? name : name + kind.ending
    }

    /// A label's name. `le` is reserved for histograms and `__` for Prometheus itself.
    static func label(_ name: String) -> String {
        let name = allowed(name)
        return name == "le" || name.hasPrefix("__") ? "label_" + name : name
    }

    private static func allowed(_ name: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": text.append(scalar)
            case "0"..."9":
                if text.isEmpty { text.append("_") }
                text.append(scalar)
            default: text.append("_")
            }
        }
        return text.isEmpty ? "_" : String(text)
    }
}
