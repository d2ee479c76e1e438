import ServiceRuntime
import TestSupport
import Testing

@Suite("A-04: help texts and units of all metrics")
struct MetricCatalogueTests {
    @Test("no metric has two entries")
    func once() {
        let names = MetricCatalogue.entries.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(MetricCatalogue["rpc_calls_total"]?.unit == .number)
        #expect(MetricCatalogue["postern_rpc_calls_total"] == nil)
    }

    @Test("metrics keep their names, which dashboards and alerts have")
    func unchanged() throws {
        let listed = try UnchangedList("metrics").lines.map { String($0.prefix { $0 != " " }) }
        #expect(listed.filter { MetricCatalogue[$0] == nil } == [])
    }

    @Test("a help text is one short sentence without characters that the page must escape")
    func help() {
        for entry in MetricCatalogue.entries {
            let isSentence = entry.help.wholeMatch(of: /[A-Z1][^\n\\]{8,98}\./) != nil
            #expect(isSentence, "\(entry.name): \(entry.help)")
        }
    }

    @Test("a name is in lower case and ends with its unit, in a counter before _total")
    func units() {
        for entry in MetricCatalogue.entries {
            #expect(entry.name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(entry.name)")
            var words = entry.name.split(separator: "_").map(String.init)
            if words.last == "total" { words.removeLast() }
            if entry.unit != .number {
                let unit = words.removeLast()
                #expect(unit == entry.unit.rawValue, "\(entry.name)")
            }
            // Multiples and abbreviations of units, and the suffixes of a histogram's series.
            let forbidden = [
                "total", "seconds", "bytes", "s", "ms", "us", "ns", "sec", "milliseconds",
                "minutes", "hours", "days", "b", "kb", "mb", "kilobytes", "percent", "ratio",
                "bucket", "sum", "count",
            ]
            #expect(forbidden.allSatisfy { !words.contains($0) }, "\(entry.name)")
        }
    }
}
