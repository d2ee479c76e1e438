/// Reads quoted values. Leaves the text that follows them in `rest`.
enum YAMLQuoted {
    /// A value in single quotes, where two single quotes stand for one.
    static func single(_ rest: inout Substring) throws(YAMLMistake) -> String {
        var text = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            if character != "'" {
                text.append(character)
            } else if rest.first == "'" {
                rest.removeFirst()
                text.append("'")
            } else {
                return text
            }
        }
        throw YAMLMistake("the closing quote is missing")
    }

    /// A value in double quotes, with the escapes that JSON and YAML share.
    static func double(_ rest: inout Substring) throws(YAMLMistake) -> String {
        var text = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            switch character {
            case "\"": return text
            case "\\": text.unicodeScalars.append(try escaped(&rest))
            default: text.append(character)
            }
        }
        throw YAMLMistake("the closing quote is missing")
    }

    private static func escaped(_ rest: inout Substring) throws(YAMLMistake) -> Unicode.Scalar {
        switch rest.popFirst() {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            if digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
                let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
            {
                return scalar
            }
            throw YAMLMistake("\\u takes four hexadecimal digits of a character")
        default: throw YAMLMistake("an escape that is none of \\\" \\\\ \\/ \\n \\r \\t \\u")
        }
    }
}
