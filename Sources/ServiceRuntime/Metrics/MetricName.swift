/// Converts names to those that Prometheus allows.
/// Source: https://prometheus.io/docs/concepts/data_model/
enum MetricName {
    /// A family's name: the prefix, swift-metrics' label, and the suffix of its kind.
    static func family(_ label: String, _ kind: MetricKind, prefix: String) -> String {
        let name = allowed(prefix.isEmpty ? label : prefix + "_" + label)
        return name.hasSuffix(kind.ending) ? name : name + kind.ending
    }

    /// A label's name. `le` is reserved for histograms and `__` for Prometheus itself.
    static func label(_ name: String) -> String {
        let name = allowed(name)
        return name == "le" || name.hasPrefix("__") ? "label_" + name : name
    }

    private static func allowed(_ name: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": text.append(scalar)
            case "0"..."9":
                if text.isEmpty { text.append("_") }
                text.append(scalar)
            default: text.append("_")
            }
        }
        return text.isEmpty ? "_" : String(text)
    }
}
