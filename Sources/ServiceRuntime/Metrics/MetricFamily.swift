/// The kind of a metric family. Decides its name's suffix and its `# TYPE`.
enum MetricKind {
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

/// The storage of one series.
protocol MetricCell: AnyObject, Sendable {
    /// Writes the lines of the series.
    func write(_ name: String, _ labels: MetricLabels, to text: inout String)
}

/// All series with one name.
struct MetricFamily: Sendable {
    let kind: MetricKind
    private let name: String
    private var series: [MetricLabels: any MetricCell] = [:]

    init(name: String, kind: MetricKind) {
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

    /// Writes the family's type and its series.
    func write(to text: inout String) {
        text += "# TYPE \(name) \(kind.type)\n"
        for (labels, cell) in series.sorted(by: { $0.key < $1.key }) {
            cell.write(name, labels, to: &text)
        }
    }
}
