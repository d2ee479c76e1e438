import Testing

@Suite("Every metric has a help text")
struct MetricTests {
    private static let catalogue = "Sources/ServiceRuntime/Metrics/MetricCatalogue.swift"

    @Test("A-04: each metric is in MetricCatalogue, and each of its entries is a metric")
    func complete() throws {
        let checkout = try Checkout.here.get()
        let entries = try checkout.text(of: Self.catalogue)
            .matches(of: /Entry\(\s*"([a-z_]+)"/).map { String($0.1) }
        let metrics = try checkout.written(below: "Sources/", suffix: ".swift")
            .flatMap { Self.metrics(in: try SwiftSource($0, in: checkout)) }
        expectNone(
            metrics.filter { metric in !entries.contains { metric.isCalled($0) } }.map {
                Finding(
                    path: $0.path, line: $0.line, complaint: "\($0.name): not in MetricCatalogue")
            })
        expectNone(
            entries.filter { entry in !metrics.contains { $0.isCalled(entry) } }.map {
                Finding(path: Self.catalogue, line: 1, complaint: "\($0): no such metric")
            })
    }

    @Test("A-04: each metric of docker/alerts.yaml exists, and each alert of the page is in it")
    func alerts() throws {
        let checkout = try Checkout.here.get()
        let entries = Set(
            try checkout.text(of: Self.catalogue)
                .matches(of: /Entry\(\s*"([a-z_]+)"/).map { String($0.1) })
        let rules = try checkout.text(of: "docker/alerts.yaml")
        let named = Set(rules.matches(of: /\b(?:postern|process)_[a-z_]+/).map { String($0.0) })
        #expect(named.count > 10)
        #expect(named.filter { !entries.contains(Self.family(of: $0)) }.sorted() == [])
        let page = try checkout.text(of: "docker/watching.md")
        let alerts = page.matches(of: /`(Postern[A-Za-z]+)`/).map { String($0.1) }
        #expect(!alerts.isEmpty)
        #expect(alerts.filter { !rules.contains("alert: \($0)\n") } == [])
    }

    /// A metric's name as in the catalogue, from the name of one of its series.
    private static func family(of series: String) -> String {
        var name = series
        if name.hasPrefix("postern_") { name.removeFirst("postern_".count) }
        for suffix in ["_bucket", "_count", "_sum"] where name.hasSuffix(suffix) {
            name.removeLast(suffix.count)
        }
        return name
    }

    @Test(
        "each way of making a metric is found, with the suffix of its kind",
        arguments: [
            ("Counter(label: \"a_b\")", "a_b_total"), ("Counter(label: \"a_total\")", "a_total"),
            ("Timer(\n    label: \"a\", dimensions: [])", "a_seconds"),
            ("let g = Gauge(label: \"a\")", "a"), ("Meter(\n  label: \"a\"", "a"),
            ("Recorder(label: \"a\")", "a"), ("retries = counter(\"a\")", "a_total"),
            ("Self.counters(\"a\")", "a_total"), ("page.counter(\n\"a_total\", 1)", "a_total"),
            ("page.gauge(\"a\", 1)", "a"), ("page.histogram(\n \"\\(b)_c\"", "\\(b)_c"),
        ])
    func found(code: String, name: String) {
        let metrics = Self.metrics(in: SwiftSource(path: "x", text: code))
        #expect(metrics.map(\.name) == [name])
    }

    @Test(
        "what is no metric is not taken for one",
        arguments: [
            "Logger(label: \"a\")", "Counter(label: label)", "gauge(\"a-b\")",
            "// Counter(label: \"a\")", "func counter(_ label: String)",
        ])
    func passed(code: String) {
        #expect(Self.metrics(in: SwiftSource(path: "x", text: code)).isEmpty)
    }

    /// A metric where it is made.
    private struct Metric {
        let path: String
        let line: Int
        /// The name without the registry's prefix. A part of it may be an interpolation.
        let name: String

        func isCalled(_ entry: String) -> Bool {
            guard let end = name.lastIndex(of: ")") else { return name == entry }
            return entry.hasSuffix(name[name.index(after: end)...])
        }
    }

    private static func metrics(in source: SwiftSource) -> [Metric] {
        source.lineIndices(
            containing: "Counter(", "Timer(", "Gauge(", "Meter(", "Recorder(", "counter(",
            "counters(", "page.gauge(", "page.histogram("
        ).compactMap { index in
            // The name may be on the next line.
            let text = source.lines[index...].prefix(2).joined(separator: " ")
            return name(in: text).map { Metric(path: source.path, line: index + 1, name: $0) }
        }
    }

    private static func name(in text: String) -> String? {
        let made =
            #/
            ( (?: Counter | Timer | Gauge | Meter | Recorder ) \( \s* label:
            | (?: counters? | gauge | histogram ) \( )
            \s* "( [^"]+ )"
            /#
        guard let match = text.firstMatch(of: made) else { return nil }
        let name = String(match.2)
        var suffix = ""
        if match.1.lowercased().hasPrefix("counter") { suffix = "_total" }
        if match.1.hasPrefix("Timer") { suffix = "_seconds" }
        return name.hasSuffix(suffix) ? name : name + suffix
    }
}
