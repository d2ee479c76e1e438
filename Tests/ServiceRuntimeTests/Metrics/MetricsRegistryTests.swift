import Metrics
import ServiceRuntime
import Testing

@Suite("A-04: metrics in the text format of Prometheus")
struct MetricsRegistryTests {
    let registry = MetricsRegistry(prefix: "postern")

    private func lines(_ prefix: String = "postern") -> [String] {
        registry.prometheusText().split(separator: "\n").map(String.init).filter {
            $0.hasPrefix(prefix)
        }
    }

    @Test("a counter counts up, and its name ends in _total")
    func counter() {
        let counter = Counter(
            label: "rpc.calls", dimensions: [("method", "Refresh"), ("code", "ok")],
            factory: registry)
        counter.increment()
        counter.increment(by: 41)
        #expect(
            registry.prometheusText() == """
                # HELP postern_rpc_calls_total Calls that ended, by method and status.
                # TYPE postern_rpc_calls_total counter
                postern_rpc_calls_total{code="ok",method="Refresh"} 42

                """)
    }

    @Test("the same label and dimensions are one series, in any order of the dimensions")
    func same() {
        Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
        Counter(label: "c", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        #expect(lines() == [#"postern_c_total{a="1",b="2"} 2"#])
    }

    @Test("gauges and meters show their value")
    func numbers() {
        Gauge(label: "g", factory: registry).record(7)
        Gauge(label: "g", factory: registry).record(-2.5)
        let meter = Meter(label: "m", factory: registry)
        meter.set(10)
        meter.increment(by: 5)
        meter.decrement(by: 1)
        #expect(lines() == ["postern_g -2.5", "postern_m 14"])
    }

    @Test("a timer is a histogram in seconds: buckets are cumulative and include their bound")
    func timer() {
        let timer = Timer(label: "call", factory: registry)
        timer.recordNanoseconds(1_000)
        timer.recordNanoseconds(1_001)
        timer.recordNanoseconds(2_500_000)
        timer.recordNanoseconds(3_600_000_000_000)
        let lines = lines()
        #expect(lines.contains(#"postern_call_seconds_bucket{le="1e-06"} 1"#))
        #expect(lines.contains(#"postern_call_seconds_bucket{le="5e-06"} 2"#))
        #expect(lines.contains(#"postern_call_seconds_bucket{le="0.0025"} 3"#))
        #expect(lines.contains(#"postern_call_seconds_bucket{le="60"} 3"#))
        #expect(lines.contains(#"postern_call_seconds_bucket{le="+Inf"} 4"#))
        #expect(lines.contains("postern_call_seconds_count 4"))
        #expect(lines.contains("postern_call_seconds_sum 3600.002502001"))
    }

    @Test("a recorder is a histogram of amounts and ignores NaN and infinity")
    func recorder() {
        let recorder = Recorder(label: "batch", factory: registry)
        for amount in [0, 1, 2, 3, .nan, .infinity] as [Double] { recorder.record(amount) }
        let lines = lines()
        #expect(lines.contains(#"postern_batch_bucket{le="0"} 1"#))
        #expect(lines.contains(#"postern_batch_bucket{le="2"} 3"#))
        #expect(lines.contains("postern_batch_count 4"))
        #expect(lines.contains("postern_batch_sum 6"))
    }

    @Test("a hostile label value stays within its quotes and its line")
    func hostileValue() {
        let value = "a\"} 1\nforged_total 99\\"
        Counter(label: "c", dimensions: [("v", value)], factory: registry).increment()
        #expect(lines("").count == 2)
        #expect(lines() == [#"postern_c_total{v="a\"} 1\nforged_total 99\\"} 1"#])
    }

    @Test("hostile names are changed to allowed ones")
    func hostileName() {
        Counter(
            label: "1 x\n{\"é", dimensions: [("le", "a"), ("__n", "b"), ("", "c"), ("9", "d")],
            factory: registry
        )
        .increment()
        #expect(
            lines() == [
                #"postern_1_x_____total{_="c",_9="d",label___n="b",label_le="a"} 1"#
            ])
    }

    @Test("beyond 200 series values are counted as other, and nothing is lost")
    func series() {
        for index in 0..<10_000 {
            Counter(label: "c", dimensions: [("v", "\(index)")], factory: registry).increment()
        }
        let lines = lines()
        #expect(lines.count == MetricsRegistry.seriesMax + 1)
        #expect(lines.contains(#"postern_c_total{v="other"} 9800"#))
    }

    @Test("beyond 512 families a metric works but is not shown")
    func families() {
        for index in 0..<600 { Counter(label: "c\(index)", factory: registry).increment() }
        #expect(lines().count == MetricsRegistry.familiesMax)
    }

    @Test("if one name has two kinds, only the first is shown")
    func conflict() {
        Gauge(label: "x", factory: registry).record(1)
        Recorder(label: "x", factory: registry).record(5)
        #expect(lines() == ["postern_x 1"])
    }

    @Test("a long label value is cut")
    func long() {
        Counter(
            label: "c", dimensions: [("v", String(repeating: "é", count: 10_000))],
            factory: registry
        )
        .increment()
        #expect(registry.prometheusText().utf8.count < 300)
    }

    @Test("no value recorded by eight concurrent tasks is lost")
    func concurrent() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [registry] in
                    let counter = Counter(label: "c", factory: registry)
                    let timer = Timer(label: "t", factory: registry)
                    for _ in 0..<5_000 {
                        counter.increment()
                        timer.recordNanoseconds(1_000_000_000)
                    }
                }
            }
        }
        let lines = lines()
        #expect(lines.contains("postern_c_total 40000"))
        #expect(lines.contains("postern_t_seconds_sum 40000"))
        #expect(lines.contains("postern_t_seconds_count 40000"))
    }
}
