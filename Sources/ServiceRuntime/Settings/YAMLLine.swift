/// Why a line is not the YAML of settings.
struct YAMLMistake: Error {
    /// For people.
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// A line that holds something.
struct YAMLLine {
    /// From 1.
    let number: Int
    /// Spaces in front.
    let indent: Int
    private let content: Substring

    /// Nil for an empty line, a comment, and the mark that begins a document.
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

    /// What follows the dash of a list item; nil where the line is none.
    var item: Substring? {
        content == "-" || content.hasPrefix("- ") ? content.dropFirst() : nil
    }

    /// The line's key, and what follows its colon.
    func keyAndValue() throws(YAMLMistake) -> (key: String, rest: Substring) {
        guard let colon = content.firstIndex(of: ":") else {
            throw YAMLMistake("neither \"name: value\" nor \"- value\"")
        }
        let key = content[..<colon]
        let rest = content[content.index(after: colon)...]
        // At its beginning a star is an alias, which settings have no use for.
        guard let first = key.first, first != "*",
            key.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_*".contains($0)) })
        else { throw YAMLMistake("a setting's name is letters, digits and dashes") }
        guard rest.isEmpty || rest.hasPrefix(" ") else {
            throw YAMLMistake("a space is missing after the colon")
        }
        return (String(key), rest)
    }
}
