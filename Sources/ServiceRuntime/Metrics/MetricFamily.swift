/// What a family of metrics counts; decides its name's ending and its `# TYPE`.
enum MetricKind {
    /// Only grows.
    case counter
    /// Goes up and down.
    case gauge
    /// How amounts are spread.
    case histogram
    /// How durations are spread, in seconds.
    case timer

    /// As Prometheus calls it.
    var type: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram, .timer: "histogram"
        }
    }

    /// The ending that Prometheus' naming practice asks for.
    var ending: String {
        switch self {
        case .counter: "_total"
        case .gauge, .histogram: ""
        case .timer: "_seconds"
        }
    }
}

/// One place where a series is recorded.
protocol MetricCell: AnyObject, Sendable {
    /// Writes the series' lines.
    func write(_ name: String, _ labels: MetricLabels, to text: inout String)
}

/// All series of one name.
struct MetricFamily: Sendable {
    let kind: MetricKind
    private let name: String
    private var series: [MetricLabels: any MetricCell] = [:]

    init(name: String, kind: MetricKind) {
        self.name = name
        self.kind = kind
    }

    /// The cell for `labels`, or the common one when there are too many already.
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
