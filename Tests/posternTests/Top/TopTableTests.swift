import ArgumentParser
import Testing

@testable import postern

@Suite("postern top: a screen from two scrapes")
struct TopTableTests {
    /// A metrics page of one program with two methods, as the programs write it.
    private func page(
        refresh: (ok: Int, late: Int), check: Int, quick: Int, slow: Int, cpu: Double
    ) -> String {
        let method = "method=\"postern.session.v1.Sessions/RefreshSession\""
        let all = quick + slow
        return """
            # TYPE postern_rpc_calls_total counter
            postern_rpc_calls_total{\(method),status="ok"} \(refresh.ok)
            postern_rpc_calls_total{\(method),status="deadline_exceeded"} \(refresh.late)
            postern_rpc_calls_total{method="postern.health.v1.Health/Check",status="ok"} \(check)
            postern_rpc_call_seconds_bucket{le="0.0001",\(method)} 0
            postern_rpc_call_seconds_bucket{le="0.001",\(method)} \(quick)
            postern_rpc_call_seconds_bucket{le="0.01",\(method)} \(all)
            postern_rpc_call_seconds_bucket{le="+Inf",\(method)} \(all)
            postern_rpc_in_flight{\(method)} 3
            postern_rpc_errors_total{code="rpc/deadline-exceeded"} \(refresh.late)
            postern_rpc_connections 12
            process_cpu_seconds_total \(cpu)
            process_resident_memory_bytes 52428800
            """
    }

    private func rows(_ first: String, _ second: String?, seconds: Double = 2) -> [TopTable.Row] {
        [
            TopTable.Row(
                service: "session", before: ServiceScrape(MetricsText(first), at: 100),
                now: second.map { ServiceScrape(MetricsText($0), at: 100 + seconds) }),
            TopTable.Row(service: "gateway", before: nil, now: nil),
        ]
    }

    private func cells(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    @Test("postern top --once fails if no program responds")
    func none() throws {
        #expect(throws: ExitCode(1)) { try TopCommand.requireResponse([:]) }
        let one = ServiceScrape(MetricsText(""), at: 100)
        try TopCommand.requireResponse(["session": one])
    }

    @Test("rates, latencies and gauges are computed from the difference of two scrapes")
    func table() {
        let first = page(refresh: (1_000, 4), check: 50, quick: 900, slow: 104, cpu: 10)
        let second = page(refresh: (1_400, 14), check: 51, quick: 1_100, slow: 314, cpu: 10.5)
        let lines = TopTable.lines(rows(first, second))
        #expect(
            cells(lines[0]) == [
                "service", "calls/s", "errors/s", "p50", "p99", "in", "flight", "conn", "cpu",
                "memory",
            ])
        // 410 calls of refresh and 1 of health in 2 s; 200 take up to 1 ms, 210 up to 10 ms.
        #expect(
            cells(lines[1]) == [
                "session", "206", "5.0", "1.21", "ms", "9.82", "ms", "3", "12", "25%", "50",
                "MiB",
            ])
        #expect(cells(lines[2]) == ["gateway", "no", "answer"])
        #expect(lines[3].isEmpty)
        #expect(cells(lines[4]).prefix(2) == ["busiest", "methods"])
        #expect(
            cells(lines[5]) == [
                "session", "Sessions/RefreshSession", "205", "5.0", "1.21", "ms", "9.82", "ms", "3",
            ])
        #expect(cells(lines[6]) == ["session", "Health/Check", "0.5", "0", "-", "-", "0"])
        #expect(lines.count == 7)
    }

    @Test("after a restart of a program, its counters are read from zero")
    func restarted() {
        let first = page(refresh: (1_000, 4), check: 50, quick: 900, slow: 104, cpu: 10)
        let second = page(refresh: (10, 0), check: 0, quick: 10, slow: 0, cpu: 0.1)
        let session = cells(TopTable.lines(rows(first, second))[1])
        #expect(session.prefix(3) == ["session", "5.0", "0"])
        #expect(session.contains("5%"))
    }

    @Test("a program without a response says so, and the table never exceeds the screen's height")
    func edges() {
        let page = page(refresh: (1, 0), check: 1, quick: 1, slow: 0, cpu: 1)
        #expect(cells(TopTable.lines(rows(page, nil))[1]) == ["session", "no", "answer"])
        for height in 0...12 {
            #expect(TopTable.lines(rows(page, page), height: height).count <= height)
        }
    }

    @Test("with all programs and many busy methods the table fits a screen of 80 × 24")
    func screen() {
        let name = "postern.session.v1.AVeryLongNameOfAService/AndAMethodWithALongName"
        func page(_ calls: Int) -> MetricsText {
            MetricsText(
                (0..<40).map {
                    "postern_rpc_calls_total{method=\"\(name)\($0)\",status=\"ok\"} \(calls)\n"
                }.joined() + "process_resident_memory_bytes 12345678901\n")
        }
        let rows = Endpoints.programs.map { service in
            TopTable.Row(
                service: service, before: ServiceScrape(page(0), at: 100),
                now: ServiceScrape(page(100_000), at: 101))
        }
        let lines = TopTable.lines(rows, height: 24)
        #expect(lines.count == 24)
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    }

    @Test("a label of another program's page contains no terminal escapes and makes no lines")
    func hostileLabel() {
        func page(_ calls: Int) -> MetricsText {
            MetricsText(
                "postern_rpc_calls_total{method=\"A/\u{1b}[2J\\nB\",status=\"ok\"} \(calls)")
        }
        let row = TopTable.Row(
            service: "session", before: ServiceScrape(page(0), at: 100),
            now: ServiceScrape(page(8), at: 101))
        let line = TopTable.lines([row]).last ?? ""
        #expect(cells(line).prefix(3) == ["session", "A/\u{FFFD}[2J\u{FFFD}B", "8.0"])
    }

    @Test("quantiles: below the lowest bound, between two, above the highest, and without samples")
    func quantiles() {
        var histogram = Histogram()
        #expect(histogram.quantile(0.5) == nil)
        for (bound, count) in [(0.1, 10.0), (0.2, 20), (.infinity, 25)] {
            histogram.add(bound, count)
        }
        #expect(histogram.quantile(0.4) == .below(0.1))
        #expect(histogram.quantile(0.6) == .about(0.15000000000000002))
        #expect(histogram.quantile(0.99) == .above(0.2))
        #expect(histogram.since(histogram).quantile(0.5) == nil)
    }

    @Test("a bucket that appears between two scrapes counts from zero; one that is gone, a restart")
    func lateBucket() {
        var (before, now) = (Histogram(), Histogram())
        for (bound, count) in [(0.2, 0.0), (0.4, 4), (.infinity, 4)] { before.add(bound, count) }
        for (bound, count) in [(0.1, 0.0), (0.2, 6), (0.4, 10), (.infinity, 10)] {
            now.add(bound, count)
        }
        #expect(now.since(before).quantile(1) == .about(0.2))
        #expect(now.since(Histogram()).quantile(1) == .about(0.4))
        #expect(before.since(now).quantile(1) == .about(0.4))
    }

    @Test("a page is parsed: escapes, labels in any order, and invalid lines")
    func text() {
        let page = MetricsText(
            """
            # HELP x y
            a{m="q\\"\\\\\\n,}=",n=""} 1e3
            a 2
            b{broken 1
            c{d="e} 1
            nonsense

            z +Inf
            """)
        #expect(
            page.samples("a") == [
                MetricsText.Sample(labels: ["m": "q\"\\\n,}=", "n": ""], value: 1_000),
                MetricsText.Sample(value: 2),
            ])
        #expect(page.sum("a") == 1_002)
        #expect(page.sum("b") == nil)
        #expect(page.sum("z") == .infinity)
    }
}
