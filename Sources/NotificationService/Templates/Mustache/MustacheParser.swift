/// Parses a template strictly: an unknown variable, an unclosed section and an unsupported tag are
/// errors. They are found when the program starts, not when a mail is rendered.
struct MustacheParser {
    /// Nested sections; ours have one level.
    static let depthMax = 8
    /// Tags of one template. This limits the size of a mail: values have 2 KiB at most.
    static let tagsMax = 200

    private let source: TemplateSource
    private let names: [String]
    private let partials: [String]
    private var line: Int
    private var tags = 0
    /// The open sections, outermost first, each with the parts before it.
    private var open: [(tag: Tag, line: Int, before: [MustacheTemplate.Part])] = []
    private var parts: [MustacheTemplate.Part] = []

    /// Parses a template.
    /// - Parameters:
    ///   - names: the variables that are allowed.
    ///   - partials: the names that are allowed in `{{> …}}`.
    /// - Throws: `TemplateFault`.
    static func template(
        _ source: TemplateSource, names: [String], partials: [String] = []
    ) throws(TemplateFault) -> MustacheTemplate {
        var parser = MustacheParser(source, names, partials)
        return try parser.template()
    }

    private init(_ source: TemplateSource, _ names: [String], _ partials: [String]) {
        self.source = source
        self.names = names
        self.partials = partials
        line = source.line
    }

    private mutating func template() throws(TemplateFault) -> MustacheTemplate {
        var rest = source.text[...]
        while let start = rest.firstRange(of: "{{") {
            take(rest[..<start.lowerBound])
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
                throw fault("a tag begins with {{ and does not end with }}")
            }
            try take(Tag(rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        take(rest)
        if let unclosed = open.last {
            throw source.fault(
                "{{\(unclosed.tag.text)}} is not closed: write {{/\(unclosed.tag.name)}}",
                line: unclosed.line)
        }
        return MustacheTemplate(parts: parts)
    }

    private mutating func take(_ words: Substring) {
        guard !words.isEmpty else { return }
        line += words.count { $0.isNewline }
        parts.append(.literal(String(words)))
    }

    private mutating func take(_ tag: Tag) throws(TemplateFault) {
        tags += 1
        guard tags <= Self.tagsMax else { throw fault("more than \(Self.tagsMax) tags") }
        switch tag.kind {
        case .value:
            try check(tag, among: names)
            parts.append(.value(tag.name, line: line))
        case .partial:
            try check(tag, among: partials)
            parts.append(.partial(tag.name))
        case .comment:
            line += tag.text.count { $0.isNewline }
        case .whenFilled, .whenEmpty:
            try check(tag, among: names)
            guard open.count < Self.depthMax else {
                throw fault("more than \(Self.depthMax) nested sections")
            }
            open.append((tag, line, parts))
            parts = []
        case .end: try close(tag)
        case .unknown:
            throw fault(
                "{{\(tag.text)}} is no tag: there are {{name}}, {{#name}}, {{^name}}, {{/name}} "
                    + "and {{! …}}; values are always escaped")
        }
    }

    private mutating func close(_ tag: Tag) throws(TemplateFault) {
        guard let section = open.popLast() else {
            throw fault("{{/\(tag.name)}} closes nothing")
        }
        guard section.tag.name == tag.name else {
            throw fault("{{/\(tag.name)}} where {{/\(section.tag.name)}} is due")
        }
        let isWhenEmpty = section.tag.kind == .whenEmpty
        parts = section.before + [.section(tag.name, whenEmpty: isWhenEmpty, parts)]
    }

    private func check(_ tag: Tag, among known: [String]) throws(TemplateFault) {
        guard !known.contains(tag.name) else { return }
        let list = known.isEmpty ? "there are none here" : known.joined(separator: ", ")
        throw fault("{{\(tag.text)}} is not known here; allowed: \(list)")
    }

    private func fault(_ sentence: String) -> TemplateFault {
        source.fault(sentence, line: line)
    }
}

extension MustacheParser {
    /// The content of a tag, between `{{` and `}}`.
    private struct Tag {
        enum Kind {
            case value, whenFilled, whenEmpty, end, partial, comment, unknown
        }

        let kind: Kind
        /// Empty for a comment.
        let name: String
        /// As written, truncated for error messages.
        let text: String

        init(_ written: Substring) {
            let marks: [Character: Kind] = [
                "#": .whenFilled, "^": .whenEmpty, "/": .end, ">": .partial, "!": .comment,
            ]
            let mark = written.first.flatMap { marks[$0] }
            let rest = mark == nil ? written : written.dropFirst()
            let name = rest.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            text = String(mark == .comment ? written : written.prefix(40))
            if mark == .comment {
                kind = .comment
                self.name = ""
            } else if !name.isEmpty, name.allSatisfy({ $0.isASCII && $0.isLetter || $0 == "-" }) {
                kind = mark ?? .value
                self.name = String(name)
            } else {
                kind = .unknown
                self.name = ""
            }
        }
    }
}
