/// A parsed metrics page in Prometheus' text format.
struct MetricsText {
    /// One series at one time.
    struct Sample: Equatable {
        var labels: [String: String] = [:]
        var value: Double
    }

    private var families: [String: [Sample]] = [:]

    /// Parses the page; a line that it cannot parse is skipped, since a page may contain series
    /// that the tool does not know.
    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where line.first != "#" {
            guard let (name, sample) = Self.sample(line) else { continue }
            families[name, default: []].append(sample)
        }
    }

    /// The series of `name`.
    func samples(_ name: String) -> [Sample] { families[name] ?? [] }

    /// The sum of the series of `name`; nil if there are none.
    func sum(_ name: String) -> Double? {
        families[name].map { $0.reduce(0) { $0 + $1.value } }
    }

    /// `name{label="value",…} number`
    private static func sample(_ line: Substring) -> (String, Sample)? {
        guard let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { return nil }
        let series = line[..<space]
        guard let brace = series.firstIndex(of: "{") else {
            return (String(series), Sample(value: value))
        }
        guard series.last == "}",
            let labels = labels(series[series.index(after: brace)...].dropLast())
        else { return nil }
        return (String(series[..<brace]), Sample(labels: labels, value: value))
    }

    private static func labels(_ text: Substring) -> [String: String]? {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let name = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            guard rest.popFirst() == "\"", let value = quoted(&rest) else { return nil }
            labels[name] = value
            if rest.first == "," { rest.removeFirst() }
        }
        return labels
    }

    /// The text up to the closing quote, which is consumed too, without escapes.
    private static func quoted(_ rest: inout Substring) -> String? {
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped == "n" ? "\n" : escaped)
            default: value.append(character)
            }
        }
        return nil
    }
}
