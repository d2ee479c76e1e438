/// A template as it is rendered: the part of Mustache that mails need, read by `MustacheParser`.
///
///     {{name}}                 a value
///     {{#name}}…{{/name}}      only where the value is not empty
///     {{^name}}…{{/name}}      only where it is
///     {{> content}}            a piece that is made already, in the frame alone
///     {{! a word to the next reader }}
///
/// No functions, loops, other delimiters or unescaped values. A value is put in and never read as a
/// template, so braces in a device's name stay braces (CWE-1336).
struct MustacheTemplate: Sendable {
    /// One part after another.
    indirect enum Part: Sendable {
        case literal(String)
        case value(String, line: Int)
        case section(String, whenEmpty: Bool, [Part])
        case piece(String)
    }

    let parts: [Part]

    /// What it says.
    /// - Parameters:
    ///   - values: what names stand for; a name without a value is empty.
    ///   - pieces: what is put in as it is.
    ///   - escape: what is done to each value.
    func rendered(
        _ values: [String: String], pieces: [String: String] = [:],
        escape: (String) -> String = { $0 }
    ) -> String {
        var text = ""
        Self.write(parts, values, pieces, escape, to: &text)
        return text
    }

    /// The same template for HTML, where what is written around the values is words, not markup.
    var forWordsInHTML: MustacheTemplate {
        MustacheTemplate(parts: Self.escapingLiterals(parts))
    }

    /// The names that it cannot do without: those of its values, outside of sections.
    var valueNames: [String] {
        parts.compactMap { if case .value(let name, line: _) = $0 { name } else { nil } }
    }

    /// All names of values in it, each with its line.
    var uses: [(name: String, line: Int)] { Self.uses(parts) }

    private static func write(
        _ parts: [Part], _ values: [String: String], _ pieces: [String: String],
        _ escape: (String) -> String, to text: inout String
    ) {
        for part in parts {
            switch part {
            case .literal(let words): text += words
            case .value(let name, line: _): text += escape(values[name] ?? "")
            case .piece(let name): text += pieces[name] ?? ""
            case .section(let name, let whenEmpty, let inner):
                guard (values[name] ?? "").isEmpty == whenEmpty else { continue }
                write(inner, values, pieces, escape, to: &text)
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
            case .value, .piece: part
            }
        }
    }

    private static func uses(_ parts: [Part]) -> [(name: String, line: Int)] {
        parts.flatMap { part -> [(name: String, line: Int)] in
            switch part {
            case .value(let name, let line): [(name, line)]
            case .section(_, whenEmpty: _, let inner): uses(inner)
            case .literal, .piece: []
            }
        }
    }
}

/// Text in HTML.
enum HTMLText {
    /// Every value goes through here: what a person typed must stay text (CWE-79). Both quotes too,
    /// since some values stand in attributes.
    static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
