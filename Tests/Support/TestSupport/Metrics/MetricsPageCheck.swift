import ServiceRuntime

/// Checks a metrics page: what `promtool check metrics` requires, help texts and units as in
/// `MetricCatalogue`, no series twice, complete histograms, and no needless empty buckets.
package enum MetricsPageCheck {
    /// What breaks a rule, each with the family's name. Empty for a good page.
    package static func findings(in page: String) -> [String] {
        let families = Family.all(of: page)
        let names = Dictionary(grouping: families, by: \.name)
        return names.filter { $0.value.count > 1 }.map { "\($0.key): begins twice" }
            + families.flatMap { family in family.findings.map { "\(family.name): \($0)" } }
    }

    /// The lines of one name.
    private struct Family {
        let name: String
        let help: String?
        let type: String
        var samples: [Sample] = []

        /// The families of a page, in its order. Each begins with `# HELP` and `# TYPE`; a line that
        /// is before all of them is in one without a name.
        static func all(of page: String) -> [Family] {
            var families: [Family] = []
            var help: [Substring] = []
            for line in page.split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 3)
                if line.hasPrefix("# HELP "), words.count == 4 {
                    help = Array(words.dropFirst(2))
                } else if line.hasPrefix("# TYPE "), words.count == 4 {
                    let text = help.first == words[2] ? help.last.map(String.init) : nil
                    families.append(
                        Family(name: String(words[2]), help: text, type: String(words[3])))
                    help = []
                } else {
                    if families.isEmpty { families = [Family(name: "", help: nil, type: "")] }
                    families[families.count - 1].samples.append(Sample(line))
                }
            }
            return families
        }

        var findings: [String] {
            let entry = MetricCatalogue[String(name.trimmingPrefix("postern_"))]
            let rules = [
                ("is not in MetricCatalogue", entry == nil),
                ("has another help text than in MetricCatalogue", help != entry?.help),
                ("ends in _total if it is a counter", isCounter != name.hasSuffix("_total")),
                ("does not end with its unit", !hasUnit(entry?.unit ?? .number)),
                ("has no sample", samples.isEmpty),
                ("has a series twice", Set(samples.map(\.series)).count < samples.count),
                ("has a line of another family", samples.contains { !belongs($0) }),
            ]
            return rules.filter(\.1).map(\.0) + (isHistogram ? histogramFindings : [])
        }

        private var isCounter: Bool { type == "counter" }
        private var isHistogram: Bool { type == "histogram" }

        private func hasUnit(_ unit: MetricCatalogue.Unit) -> Bool {
            let stem = isCounter ? String(name.dropLast("_total".count)) : name
            return unit == .number || stem.hasSuffix("_" + unit.rawValue)
        }

        private func belongs(_ sample: Sample) -> Bool {
            let suffixes = isHistogram ? ["_bucket", "_sum", "_count"] : [""]
            return sample.value != nil && suffixes.contains { name + $0 == sample.name }
                && (sample.bound != nil) == (isHistogram && sample.name.hasSuffix("_bucket"))
        }

        private var histogramFindings: [String] {
            Dictionary(grouping: samples, by: \.labels).flatMap { labels, samples in
                let buckets = samples.filter { $0.bound != nil }
                let (bounds, counts) = (buckets.compactMap(\.bound), buckets.compactMap(\.value))
                let rules = [
                    ("bounds do not rise", zip(bounds, bounds.dropFirst()).contains { $0 >= $1 }),
                    ("counts fall", zip(counts, counts.dropFirst()).contains { $0 > $1 }),
                    ("has no +Inf", bounds.last != .infinity),
                    ("_count is not the count of +Inf", value("_count", samples) != counts.last),
                    ("has no _sum", value("_sum", samples) == nil),
                    // The first is the lower bound of the next.
                    ("has needless empty buckets", counts.dropFirst().contains(0)),
                ]
                return rules.filter(\.1).map { "{\(labels)} \($0.0)" }
            }
        }

        private func value(_ suffix: String, _ samples: [Sample]) -> Double? {
            samples.first { $0.name == name + suffix }?.value
        }
    }

    /// One line with a value: `name{labels} value`.
    private struct Sample {
        let series: Substring
        let name: Substring
        /// The labels without `le`, which `MetricsPage` writes last.
        let labels: Substring
        /// The label `le`.
        let bound: Double?
        let value: Double?

        init(_ line: Substring) {
            let space = line.lastIndex(of: " ") ?? line.endIndex
            series = line[..<space]
            value = Double(line[space...].dropFirst())
            name = series.prefix { $0 != "{" }
            let all = series.dropFirst(name.count + 1).dropLast()
            let start = all.ranges(of: "le=\"").last { range in
                range.lowerBound == all.startIndex || all[..<range.lowerBound].last == ","
            }
            let others = start.map { all[..<$0.lowerBound] } ?? all
            labels = others.last == "," ? others.dropLast() : others
            bound = start.flatMap { Double(all[$0.upperBound...].dropLast()) }
        }
    }
}
