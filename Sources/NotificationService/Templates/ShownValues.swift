/// A message's values in display form, by the names that templates use.
struct ShownValues {
    /// Available in every template besides its own variables.
    static let common = ["product"]

    let texts: [String: String]

    /// Formats the values.
    /// - Throws: `TemplateMistake` when a value of `wanted` is missing.
    init(
        _ values: [TemplateVariable: String], wanted: [TemplateVariable], product: HeaderText,
        language: Language
    ) throws(TemplateMistake) {
        var texts = ["product": product.text]
        for variable in wanted {
            guard let value = values[variable] else { throw TemplateMistake(missing: variable) }
            texts[variable.rawValue] = Self.shown(value, as: variable, in: language)
        }
        self.texts = texts
    }

    private static func shown(
        _ value: String, as variable: TemplateVariable, in language: Language
    ) -> String {
        switch variable {
        case .time: MomentText(value)?.text(in: language) ?? value
        case .method: language.words.method(value)
        case .methods:
            language.words.list(
                value.split(separator: " ").map { language.words.method(String($0)) })
        case .address: masked(value)
        case .link, .device, .name, .place, .code, .minutes: value
        }
    }

    /// `a…@e….org`: enough for the owner to recognise it. Too little for a stranger who chose the
    /// address to convey a message in it, or for mail programs to turn it into a link.
    private static func masked(_ address: String) -> String {
        let halves = address.split(separator: "@", maxSplits: 1)
        guard let local = halves.first?.first, let domain = halves.last, let first = domain.first
        else { return "…" }
        let end = domain.lastIndex(of: ".").map { domain[$0...] } ?? ""
        return "\(local)…@\(first)…\(end)"
    }
}
