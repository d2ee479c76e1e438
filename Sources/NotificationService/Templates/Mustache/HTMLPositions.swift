import Contracts

/// Checks the positions of variables in HTML that an operator wrote.
///
/// Attack: escaping only keeps a value from ending an element or an attribute. In `<a
/// href="{{device}}">` it could be `javascript:…`, in `<img src="{{device}}">` it could load a
/// tracking URL, in a style or an unquoted attribute it could be anything (OWASP, Cross Site
/// Scripting Prevention). So a value is allowed between elements, or as the whole of a `lang` or
/// `dir` attribute; a link is also allowed as the whole of the `href` of an `a` element.
struct HTMLPositions {
    private enum Position: Hashable {
        case between
        /// Within `<…>`, which starts with this text.
        case inside(String)
        /// Within the quotes after `attribute=`.
        case quoted(attribute: String, element: String, isBegun: Bool)
        case comment
        /// Within `<style>…</style>`, where escaping has no effect.
        case style
    }

    private let source: TemplateSource
    private var position: Position = .between
    private static let links = TemplateVariable.links.map(\.rawValue)
    /// The variables that are allowed in one attribute only.
    private static let ownAttribute = ["language": "lang", "direction": "dir"]

    /// Checks a template.
    /// - Throws: `TemplateFault` for the first variable in a position that is not allowed.
    static func check(
        _ template: MustacheTemplate, of source: TemplateSource
    ) throws(TemplateFault) {
        var positions = HTMLPositions(source: source)
        try positions.walk(template.parts)
        guard positions.position == .between else {
            throw source.fault("the markup ends within an element, an attribute or a comment")
        }
    }

    private init(source: TemplateSource) { self.source = source }

    private mutating func walk(_ parts: [MustacheTemplate.Part]) throws(TemplateFault) {
        for part in parts {
            switch part {
            case .literal(let markup): try read(markup)
            case .value(let name, let line): try check(name, line)
            case .partial:
                guard position == .between else {
                    throw source.fault("{{> …}} is only allowed between elements")
                }
            case .section(let name, whenEmpty: _, let inner):
                let before = position
                try walk(inner)
                guard position == before else {
                    throw source.fault("{{#\(name)}} contains a part of an element or attribute")
                }
            }
        }
    }

    private mutating func check(_ name: String, _ line: Int) throws(TemplateFault) {
        switch position {
        case .between where Self.ownAttribute[name] == nil: return
        case .quoted(let attribute, let element, isBegun: false):
            let isLink = Self.links.contains(name) && attribute == "href" && element == "a"
            guard isLink || Self.ownAttribute[name] == attribute else { break }
            position = .quoted(attribute: attribute, element: element, isBegun: true)
            return
        case .between, .quoted, .inside, .comment, .style: break
        }
        throw source.fault(
            "{{\(name)}} cannot stand here: a value stands between elements, and {{link}} also as "
                + "the whole of <a href=\"{{link}}\">", line: line)
    }

    /// Scans the author's markup.
    private mutating func read(_ markup: String) throws(TemplateFault) {
        var rest = markup[...]
        while !rest.isEmpty {
            switch position {
            case .between:
                guard let start = rest.firstRange(of: "<") else { return }
                rest = rest[start.upperBound...]
                position = rest.hasPrefix("!--") ? .comment : .inside("")
            case .comment:
                guard let end = rest.firstRange(of: "-->") else { return }
                rest = rest[end.upperBound...]
                position = .between
            case .style:
                guard let end = rest.firstRange(of: "</style") else { return }
                rest = rest[end.lowerBound...].dropFirst()
                position = .inside("")
            case .inside(let begun): rest = try readElement(begun, rest)
            case .quoted(let attribute, let element, let isBegun):
                guard let quote = rest.firstIndex(of: "\"") else {
                    position = .quoted(attribute: attribute, element: element, isBegun: true)
                    return
                }
                guard quote == rest.startIndex || !(isBegun && attribute == "href") else {
                    throw source.fault("a link must be the whole of its href")
                }
                rest = rest[rest.index(after: quote)...]
                position = .inside(element + " ")
            }
        }
    }

    /// Within `<…>`: scans to its end, or to an attribute's quotes.
    private mutating func readElement(
        _ begun: String, _ rest: Substring
    ) throws(TemplateFault) -> Substring {
        guard let stop = rest.firstIndex(where: { $0 == ">" || $0 == "\"" }) else {
            position = .inside(begun + rest)
            return ""
        }
        let text = begun + rest[..<stop]
        let words = text.split { $0.isWhitespace || $0 == "/" }
        let element = words.first.map { $0.lowercased() } ?? ""
        guard element != "script" else {
            throw source.fault("scripts are not allowed: mail programs drop them, or the mail")
        }
        if rest[stop] == ">" {
            position = element == "style" && !text.hasPrefix("/") ? .style : .between
        } else {
            let attribute = words.last.map { $0.lowercased() } ?? ""
            position = .quoted(
                attribute: attribute.hasSuffix("=") ? String(attribute.dropLast()) : "",
                element: element, isBegun: false)
        }
        return rest[rest.index(after: stop)...]
    }
}
