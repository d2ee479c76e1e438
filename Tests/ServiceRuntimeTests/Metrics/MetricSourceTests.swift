import Metrics
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("A-04: metrics that are read only when the page is requested")
struct MetricSourceTests {
    private struct Shop: MetricSource {
        let name: String

        func write(to page: inout MetricsPage) {
            page.counter("shop_sales_total", 3, [("shop", name)])
            page.gauge("process_doors", 2)
            page.histogram(
                "shop_wait_seconds", [("shop", name)], bounds: [0.5, 1], counts: [1, 0, 2],
                sum: 7.5)
        }
    }

    @Test("two sources share one family with one header, and histogram buckets are cumulative")
    func merged() {
        let registry = MetricsRegistry()
        registry.add(Shop(name: "a"))
        registry.add(Shop(name: "b\"\n"))
        Counter(label: "other", factory: registry).increment()
        #expect(
            registry.prometheusText() == #"""
                # TYPE postern_other_total counter
                postern_other_total 1
                # TYPE postern_shop_sales_total counter
                postern_shop_sales_total{shop="a"} 3
                postern_shop_sales_total{shop="b\"\n"} 3
                # TYPE postern_shop_wait_seconds histogram
                postern_shop_wait_seconds_bucket{shop="a",le="0.5"} 1
                postern_shop_wait_seconds_bucket{shop="a",le="1"} 1
                postern_shop_wait_seconds_bucket{shop="a",le="+Inf"} 3
                postern_shop_wait_seconds_sum{shop="a"} 7.5
                postern_shop_wait_seconds_count{shop="a"} 3
                postern_shop_wait_seconds_bucket{shop="b\"\n",le="0.5"} 1
                postern_shop_wait_seconds_bucket{shop="b\"\n",le="1"} 1
                postern_shop_wait_seconds_bucket{shop="b\"\n",le="+Inf"} 3
                postern_shop_wait_seconds_sum{shop="b\"\n"} 7.5
                postern_shop_wait_seconds_count{shop="b\"\n"} 3
                # TYPE process_doors gauge
                process_doors 2
                process_doors 2

                """#)
    }

    @Test("a metric of the catalogue has its help text, with and without a prefix")
    func help() {
        for prefix in ["postern", ""] {
            let registry = MetricsRegistry(prefix: prefix)
            let name = prefix.isEmpty ? "deliveries_total" : "postern_deliveries_total"
            Counter(label: "deliveries", factory: registry).increment()
            Counter(label: "unknown", factory: registry).increment()
            let page = registry.prometheusText()
            #expect(
                page.hasPrefix(
                    """
                    # HELP \(name) Attempts to deliver messages, and expired messages, by outcome.
                    # TYPE \(name) counter
                    \(name) 1
                    # TYPE
                    """))
        }
    }

    @Test(
        "empty buckets are left out, except the lower bound of the first one with a value",
        arguments: [
            ([0, 0, 0, 0], ["+Inf 0"]),
            ([0, 0, 0, 7], ["3 0", "+Inf 7"]),
            ([0, 0, 5, 0], ["2 0", "3 5", "+Inf 5"]),
            ([0, 4, 0, 0], ["1 0", "2 4", "3 4", "+Inf 4"]),
            ([1, 0, 0, 2], ["1 1", "2 1", "3 1", "+Inf 3"]),
        ] as [([Int64], [String])])
    func buckets(counts: [Int64], expected: [String]) {
        let text = MetricsPage.histogram(
            "h", MetricLabels([]), bounds: [1, 2, 3], counts: counts, sum: 9)
        let total = counts.reduce(0, +)
        let lines = expected.map { line in
            let words = line.split(separator: " ")
            return "h_bucket{le=\"\(words[0])\"} \(words[1])\n"
        }
        #expect(text == lines.joined() + "h_sum 9\nh_count \(total)\n")
    }

    @Test("the page of a registry with all kinds of metrics keeps the rules")
    func rules() {
        let registry = MetricsRegistry()
        registry.add(ProcessFigures(program: "postern-test", version: "1.2.3", time: ManualTime()))
        for store in ["a", "b"] {
            let labels = [("store", store)]
            let commit = Timer(label: "store_commit", dimensions: labels, factory: registry)
            if store == "a" { commit.recordNanoseconds(30_000_000) }
            Recorder(label: "store_group_flows", dimensions: labels, factory: registry).record(3)
            Counter(label: "store_refused", dimensions: labels, factory: registry).increment()
            Meter(label: "store_waiting_writes", dimensions: labels, factory: registry).set(2)
        }
        let page = registry.prometheusText()
        #expect(MetricsPageCheck.findings(in: page) == [], "\(page)")
    }

    @Test("a process reports its memory, CPU time, descriptors, start and version")
    func process() {
        let registry = MetricsRegistry()
        registry.add(ProcessFigures(program: "postern-test", version: "1.2.3", time: ManualTime()))
        let lines = registry.prometheusText().split(separator: "\n").map(String.init)
        #expect(
            lines.contains(#"postern_build_info{program="postern-test",version="1.2.3"} 1"#))
        #expect(lines.contains("process_start_time_seconds 1767225600"))
        for (name, least) in [
            ("process_resident_memory_bytes", 1e6), ("process_open_fds", 3),
            ("process_max_fds", 10), ("process_cpu_seconds_total", 0), ("process_threads", 1),
        ] as [(String, Double)] {
            let line = lines.first { $0.hasPrefix("\(name) ") }
            let value = line?.split(separator: " ").last.flatMap { Double($0) }
            #expect(value.map { $0 >= least && $0 < 1e13 } == true, "\(name): \(line ?? "none")")
        }
    }

    @Test("/proc's line is read past a name with brackets and spaces, and rejected if incomplete")
    func usage() {
        let line =
            "42 (a) b (c) S 1 42 42 0 -1 4194304 9 0 0 0 31 11 0 0 20 0 7 0 12345 9999 250 18446"
        let usage = ProcessFigures.Usage(line)
        #expect(usage?.ticks == 42)
        #expect(usage?.threads == 7)
        #expect(usage?.virtualBytes == 9_999)
        #expect(usage?.residentPages == 250)
        for text in ["", "42 (a", "42 (a) S 1", "42 (a) S" + String(repeating: " x", count: 40)] {
            #expect(ProcessFigures.Usage(text) == nil)
        }
    }
}
