package import Metrics
import Synchronization

/// Holds every metric of a program and writes the page for Prometheus.
///
/// Recording touches only the metric's own atomics. The registry's lock is taken when a metric is
/// created, which callers do once, and when all metrics are read. The number of families and the
/// number of series in each are bounded: label values can come from outside and must not exhaust
/// the memory.
package final class MetricsRegistry: MetricsFactory {
    /// The largest number of families: five times what a service declares.
    package static let familiesMax = 512
    /// The largest number of series in one family. Further series share one with `other` for each
    /// label.
    package static let seriesMax = 200

    private let families: Mutex<[String: MetricFamily]> = Mutex([:])
    private let sources: Mutex<[any MetricSource]> = Mutex([])
    private let prefix: String

    /// An empty registry. Each name gets `prefix` and an underscore in front.
    package init(prefix: String = "postern") {
        self.prefix = prefix
    }

    /// All metrics in Prometheus' text format 0.0.4, families and series sorted by name.
    /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
    package func prometheusText() -> String {
        var page = MetricsPage(prefix: prefix)
        for (name, family) in families.withLock({ $0 }) { page.add(name, family) }
        for source in sources.withLock({ $0 }) { source.write(to: &page) }
        return page.text
    }

    /// Adds a source whose values appear on the page. For the few sources that a program adds at
    /// start.
    package func add(_ source: any MetricSource) {
        sources.withLock { $0.append(source) }
    }

    /// The cell of a series, created on first use. Where there are too many families, or the name
    /// is taken by another kind, the cell works but is not exported: metrics must never stop a
    /// service.
    func cell<Cell: MetricCell>(
        _ kind: MetricFamily.Kind, _ label: String, _ dimensions: [(String, String)],
        _ make: () -> Cell
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
    /// A counter of whole numbers; `…_total`.
    package func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        cell(.counter, label, dimensions) { CounterCell() }
    }

    /// A gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(.gauge, label, dimensions) { GaugeCell() }
    }

    /// A histogram of amounts where `aggregate` is set, otherwise a gauge of the last value.
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

    // A counter that disappeared and came back at zero would look like a restart. So metrics are
    // kept when their owner releases them.

    /// Keeps the metric.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps the metric.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps the metric.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Keeps the metric.
    package func destroyTimer(_ handler: any TimerHandler) {}
}
