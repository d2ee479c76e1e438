package import Metrics
import Synchronization

/// Holds every metric of a program and writes them down for Prometheus.
///
/// Recording touches only the metric's own atomics; the registry's lock is taken when a metric is
/// made, which callers do once and keep, and when all are read. Both the number of families and
/// the series of each are bounded: a label's values can come from outside, and must not be able to
/// fill the memory.
package final class MetricsRegistry: MetricsFactory {
    /// Families in all; enough for five times what a service declares.
    package static let familiesMax = 512
    /// Series of one family; those beyond are counted together, with `other` for each label.
    package static let seriesMax = 200

    private let families: Mutex<[String: MetricFamily]> = Mutex([:])
    private let sources: Mutex<[any MetricSource]> = Mutex([])
    private let prefix: String

    /// Nothing recorded yet; names get `prefix` and an underscore in front.
    package init(prefix: String = "postern") {
        self.prefix = prefix
    }

    /// All metrics in Prometheus' text format 0.0.4, families and series in order of their names.
    /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
    package func prometheusText() -> String {
        var page = MetricsPage(prefix: prefix)
        for (name, family) in families.withLock({ $0 }) { page.add(name, family) }
        for source in sources.withLock({ $0 }) { source.write(to: &page) }
        return page.text
    }

    /// From now on the page shows what `source` tells, too. For the few of a program's start.
    package func add(_ source: any MetricSource) {
        sources.withLock { $0.append(source) }
    }

    /// The cell of a series, made when it is first asked for. Where the families are too many, or
    /// another kind has the name, the cell works and is not shown: metrics never stop a service.
    func cell<Cell: MetricCell>(
        _ kind: MetricKind, _ label: String, _ dimensions: [(String, String)], _ make: () -> Cell
    ) -> Cell {
        let name = MetricName.family(label, kind, prefix: prefix)
        let labels = MetricLabels(dimensions)
        return families.withLock { families in
            if families[name] == nil, families.count < Self.familiesMax {
                families[name] = MetricFamily(name: name, kind: kind)
            }
            guard families[name]?.kind == kind else { return make() }
            let cell = families[name]?.cell(labels, seriesMax: Self.seriesMax, make)
            return cell as? Cell ?? make()
        }
    }
}

extension MetricsRegistry {
    /// Counts up in whole numbers; `…_total`.
    package func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        cell(.counter, label, dimensions) { CounterCell() }
    }

    /// Counts up in fractions; `…_total`.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        cell(.counter, label, dimensions) { FloatingCounterCell() }
    }

    /// Goes up and down.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(.gauge, label, dimensions) { GaugeCell() }
    }

    /// A histogram of amounts where it aggregates, else the last value.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            cell(.histogram, label, dimensions) { HistogramCell(.amounts) }
        } else {
            cell(.gauge, label, dimensions) { GaugeCell() }
        }
    }

    /// A histogram of durations; `…_seconds`.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(.timer, label, dimensions) { HistogramCell(.durations) }
    }

    // A counter that went away and came back at zero would look like a restart, so metrics stay
    // when their owner lets go of them.

    /// Stays.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Stays.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Stays.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Stays.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Stays.
    package func destroyTimer(_ handler: any TimerHandler) {}
}
