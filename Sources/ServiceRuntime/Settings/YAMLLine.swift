/// Why a line is not valid as YAML of settings.
struct YAMLMistake: Error {
    /// The reason, as a sentence for the operator.
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// A line with content.
struct YAMLLine {
    /// The line number, from 1.
    let number: Int
    /// The number of leading spaces.
    let indent: Int
    private let content: Substring

    /// Nil for an empty line, a comment, and the document start marker.
    init?(_ line: Substring, number: Int) throws(YAMLMistake) {
        let content = line.drop { $0 == " " }
        guard let first = content.first, first != "#" else { return nil }
        if first == "\t" { throw YAMLMistake("a tab; YAML is indented with spaces") }
        if line == "---", number == 1 { return nil }
        if first == "%" || line.hasPrefix("---") || line.hasPrefix("...") {
            throw YAMLMistake("a settings file is one document without directives")
        }
        self.number = number
        self.indent = line.count - content.count
        self.content = content
    }

    /// The text after the dash of a list item. Nil where the line is no list item.
    var item: Substring? {
        content == "-" || content.hasPrefix("- ") ? content.dropFirst() : nil
    }

    /// The line's key, and the text after its colon.
    func keyAndValue() throws(YAMLMistake) -> (key: String, rest: Substring) {
        guard let colon = content.firstIndex(of: ":") else {
            throw YAMLMistake("neither \"name: value\" nor \"- value\"")
        }
        let key = content[..<colon]
        let rest = content[content.index(after: colon)...]
        // A star at the beginning of a key is an alias, which settings do not use.
        guard let first = key.first, first != "*",
            key.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_*".contains($0)) })
        else { throw YAMLMistake("a setting's name is letters, digits and dashes") }
        guard rest.isEmpty || rest.hasPrefix(" ") else {
            throw YAMLMistake("a space is missing after the colon")
        }
        return (String(key), rest)
    }
}
