import ServiceRuntime

/// A parsed template. It supports the part of Mustache that mails need, parsed by `MustacheParser`.
///
///     {{name}}                 a value
///     {{#name}}…{{/name}}      only if the value is not empty
///     {{^name}}…{{/name}}      only if it is empty
///     {{> content}}            a rendered part, in the layout only
///     {{! a comment }}
///
/// No functions, loops, other delimiters or unescaped values. A value is inserted and never parsed
/// as a template, so braces in a device's name remain braces (CWE-1336).
struct MustacheTemplate: Sendable {
    /// One part of the template.
    indirect enum Part: Sendable {
        case literal(String)
        case value(String, line: Int)
        case section(String, whenEmpty: Bool, [Part])
        case partial(String)
    }

    let parts: [Part]

    /// Renders the template.
    /// - Parameters:
    ///   - values: the variables' values; a missing one is empty.
    ///   - partials: rendered parts, which are inserted unchanged.
    ///   - escape: applied to each value.
    func rendered(
        _ values: [String: String], partials: [String: String] = [:],
        escape: (String) -> String = { $0 }
    ) -> String {
        var text = ""
        Self.write(parts, values, partials, escape, to: &text)
        return text
    }

    /// The same template for HTML: the literal text is escaped too.
    var forWordsInHTML: MustacheTemplate {
        MustacheTemplate(parts: Self.escapingLiterals(parts))
    }

    /// The names of the variables outside sections, which must have values.
    var valueNames: [String] {
        parts.compactMap { if case .value(let name, line: _) = $0 { name } else { nil } }
    }

    private static func write(
        _ parts: [Part], _ values: [String: String], _ partials: [String: String],
        _ escape: (String) -> String, to text: inout String
    ) {
        for part in parts {
            switch part {
            case .literal(let words): text += words
            case .value(let name, line: _): text += escape(values[name] ?? "")
            case .partial(let name): text += partials[name] ?? ""
            case .section(let name, let whenEmpty, let inner):
                guard (values[name] ?? "").isEmpty == whenEmpty else { continue }
                write(inner, values, partials, escape, to: &text)
            }
        }
    }

    private static func escapingLiterals(_ parts: [Part]) -> [Part] {
        parts.map { part in
            switch part {
            case .literal(let words):
                .literal(HTMLText.escape(words).replacing("\n", with: "<br>\n"))
            case .section(let name, let whenEmpty, let inner):
                .section(name, whenEmpty: whenEmpty, escapingLiterals(inner))
            case .value, .partial: part
            }
        }
    }
}
