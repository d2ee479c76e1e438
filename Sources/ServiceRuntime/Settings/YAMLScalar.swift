/// Reads the value after a key's colon or an item's dash.
enum YAMLScalar {
    /// One value or a list in brackets. Nil where only a comment follows.
    static func value(_ text: Substring) throws(YAMLMistake) -> SettingValue? {
        var rest = text.drop { $0 == " " }
        if rest.isEmpty || rest.first == "#" { return nil }
        let value: SettingValue
        if rest.first == "[" {
            rest.removeFirst()
            value = .many(try list(&rest))
        } else {
            value = .one(try scalar(&rest, endingAt: []))
        }
        try expectEnd(rest)
        return value
    }

    private static func list(_ rest: inout Substring) throws(YAMLMistake) -> [String] {
        var items: [String] = []
        while true {
            rest = rest.drop { $0 == " " }
            if rest.first == "]" { break }
            items.append(try scalar(&rest, endingAt: [",", "]"]))
            rest = rest.drop { $0 == " " }
            if rest.first != "," { break }
            rest.removeFirst()
        }
        guard rest.first == "]" else { throw YAMLMistake("the list's closing bracket is missing") }
        rest.removeFirst()
        return items
    }

    private static func scalar(
        _ rest: inout Substring, endingAt ends: [Character]
    ) throws(YAMLMistake) -> String {
        switch rest.first {
        case "\"": return try YAMLQuoted.double(&rest)
        case "'": return try YAMLQuoted.single(&rest)
        default: return try plain(&rest, endingAt: ends)
        }
    }

    private static func plain(
        _ rest: inout Substring, endingAt ends: [Character]
    ) throws(YAMLMistake) -> String {
        if let first = rest.first, "&*!|>%@`{}[],?:-#".contains(first),
            first != "-" || rest.dropFirst().first == " " || rest.count == 1
        {
            throw YAMLMistake("a value that begins with \(first) must stand in quotes")
        }
        var text = rest
        if let end = text.firstIndex(where: { ends.contains($0) }) { text = text[..<end] }
        if let comment = text.firstRange(of: " #") { text = text[..<comment.lowerBound] }
        rest = rest[text.endIndex...]
        let value = text.trimmed
        if ["", "~", "null", "Null", "NULL"].contains(value) {
            throw YAMLMistake("a value is missing")
        }
        if value.contains(": ") || value.hasSuffix(":") {
            throw YAMLMistake("a value with a colon and a space must stand in quotes")
        }
        return value
    }

    private static func expectEnd(_ rest: Substring) throws(YAMLMistake) {
        let after = rest.drop { $0 == " " }
        guard after.isEmpty || (after.first == "#" && rest.first == " ") else {
            throw YAMLMistake("something follows the value")
        }
    }
}
