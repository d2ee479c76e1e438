import TestSupport
import Testing

@Suite("The check of metrics pages finds what is wrong")
struct MetricsPageCheckTests {
    private static let counter = """
        # HELP postern_limits_pooled_total \
        New subjects that share a counter because the table of limits is full.
        # TYPE postern_limits_pooled_total counter
        postern_limits_pooled_total 1

        """
    private static let histogram = """
        # HELP postern_store_commit_seconds Durations of commits, each of a group of writes.
        # TYPE postern_store_commit_seconds histogram
        postern_store_commit_seconds_bucket{store="a",le="0.1"} 0
        postern_store_commit_seconds_bucket{store="a",le="0.2"} 3
        postern_store_commit_seconds_bucket{store="a",le="+Inf"} 4
        postern_store_commit_seconds_sum{store="a"} 1.5
        postern_store_commit_seconds_count{store="a"} 4
        postern_store_commit_seconds_bucket{store="b",le="+Inf"} 0
        postern_store_commit_seconds_sum{store="b"} 0
        postern_store_commit_seconds_count{store="b"} 0

        """

    @Test("a good page has no finding")
    func good() {
        #expect(MetricsPageCheck.findings(in: Self.counter + Self.histogram) == [])
    }

    @Test(
        "each broken rule is found",
        arguments: [
            ("subjects", "people", "help text"),
            ("# HELP", "# help", "help text"),
            ("# HELP postern_limits", "# HELP limits", "help text"),
            ("counter\n", "gauge\n", "_total"),
            ("TYPE postern_limits", "TYPE postern_other", "not in MetricCatalogue"),
            ("total 1\n", "total 1\npostern_limits_pooled_total 2\n", "twice"),
            ("total 1\n", "total one\n", "another family"),
            ("total 1\n", "total 1\nother_total 1\n", "another family"),
            ("postern_limits_pooled_total 1\n", "", "no sample"),
            ("le=\"0.1\"", "le=\"0.3\"", "bounds do not rise"),
            ("\"0.2\"} 3", "\"0.2\"} 5", "counts fall"),
            ("\"0.2\"} 3", "\"0.2\"} 0", "needless empty"),
            ("\"b\",le=\"+Inf\"", "\"b\",le=\"60\"", "no +Inf"),
            ("count{store=\"a\"} 4", "count{store=\"a\"} 5", "_count"),
            ("sum{store=\"b\"}", "sum{store=\"c\"}", "no _sum"),
        ])
    func broken(right: String, wrong: String, complaint: String) throws {
        let page = Self.counter + Self.histogram
        let place = try #require(page.firstRange(of: right))
        let findings = MetricsPageCheck.findings(in: page.replacingCharacters(place, with: wrong))
        #expect(findings.contains { $0.contains(complaint) }, "\(findings)")
    }

    @Test("a family that begins twice and a line above all families are found")
    func structure() {
        let twice = MetricsPageCheck.findings(in: Self.counter + Self.counter)
        #expect(twice == ["postern_limits_pooled_total: begins twice"])
        #expect(!MetricsPageCheck.findings(in: "a 1\n" + Self.counter).isEmpty)
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
