/// Reads a template, strictly: a name that is not known, a section that is not closed and a tag
/// that we do not have are faults, found when the program starts and never when a mail is due.
struct MustacheParser {
    /// Sections within each other; ours have one.
    static let depthMax = 8
    /// Tags of one template. Bounds what one mail can grow to: values have 2 KiB at most.
    static let tagsMax = 200

    private let source: TemplateSource
    private let names: [String]
    private let pieces: [String]
    private var line: Int
    private var tags = 0
    /// The sections that are open, from the outermost, each with the parts before it.
    private var open: [(tag: MustacheTag, line: Int, before: [MustacheTemplate.Part])] = []
    private var parts: [MustacheTemplate.Part] = []

    /// - Parameters:
    ///   - names: what values there are.
    ///   - pieces: what `{{> …}}` may name.
    static func template(
        _ source: TemplateSource, names: [String], pieces: [String] = []
    ) throws(TemplateFault) -> MustacheTemplate {
        var parser = MustacheParser(source, names, pieces)
        return try parser.template()
    }

    private init(_ source: TemplateSource, _ names: [String], _ pieces: [String]) {
        self.source = source
        self.names = names
        self.pieces = pieces
        line = source.line
    }

    private mutating func template() throws(TemplateFault) -> MustacheTemplate {
        var rest = source.text[...]
        while let start = rest.firstRange(of: "{{") {
            take(rest[..<start.lowerBound])
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
                throw fault("a tag begins with {{ and does not end with }}")
            }
            try take(MustacheTag(rest[start.upperBound..<end.lowerBound]))
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

    private mutating func take(_ tag: MustacheTag) throws(TemplateFault) {
        tags += 1
        guard tags <= Self.tagsMax else { throw fault("over \(Self.tagsMax) tags") }
        switch tag.kind {
        case .value:
            try check(tag, among: names)
            parts.append(.value(tag.name, line: line))
        case .piece:
            try check(tag, among: pieces)
            parts.append(.piece(tag.name))
        case .comment:
            line += tag.text.count { $0.isNewline }
        case .whenFilled, .whenEmpty:
            try check(tag, among: names)
            guard open.count < Self.depthMax else {
                throw fault("over \(Self.depthMax) sections within each other")
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

    private mutating func close(_ tag: MustacheTag) throws(TemplateFault) {
        guard let section = open.popLast() else {
            throw fault("{{/\(tag.name)}} closes nothing")
        }
        guard section.tag.name == tag.name else {
            throw fault("{{/\(tag.name)}} where {{/\(section.tag.name)}} is due")
        }
        let isWhenEmpty = section.tag.kind == .whenEmpty
        parts = section.before + [.section(tag.name, whenEmpty: isWhenEmpty, parts)]
    }

    private func check(_ tag: MustacheTag, among known: [String]) throws(TemplateFault) {
        guard !known.contains(tag.name) else { return }
        let list = known.isEmpty ? "there are none here" : known.joined(separator: ", ")
        throw fault("{{\(tag.text)}} is not known here; allowed: \(list)")
    }

    private func fault(_ sentence: String) -> TemplateFault {
        source.fault(sentence, line: line)
    }
}

/// What stands between `{{` and `}}`.
struct MustacheTag {
    enum Kind {
        case value, whenFilled, whenEmpty, end, piece, comment, unknown
    }

    let kind: Kind
    /// Empty for a comment.
    let name: String
    /// As it is written, cut for a message.
    let text: String

    init(_ written: Substring) {
        let marks: [Character: Kind] = [
            "#": .whenFilled, "^": .whenEmpty, "/": .end, ">": .piece, "!": .comment,
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
