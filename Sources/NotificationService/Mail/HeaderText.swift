import Cryptography

/// Text in a header field: subject and display name.
///
/// Attack: a CR LF in such a text would start a header field of its own, or the body (header
/// injection, CWE-93). So a text with any control character is rejected. It is not sanitised,
/// because the intended text cannot be known.
package struct HeaderText: Hashable, Sendable {
    /// In bytes. RFC 5322 allows 998 per line, but no subject needs more than this.
    package static let bytesMax = 400

    /// The text.
    package let text: String

    /// Validates a text; nil when it is empty, too long, or contains a control character.
    package init?(_ text: String) {
        guard (1...Self.bytesMax).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// As unstructured text (RFC 5322, 3.6.5): unchanged, or in encoded words.
    var unstructured: String {
        isPlain { $0.isASCII } ? text : EncodedWords.encode(text)
    }

    /// As a display name (RFC 5322, 3.4): atoms, a quoted string, or encoded words.
    var phrase: String {
        func isAtomOrSpace(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "-", "_", "!", "'", "*", "+", "/": true
            default: false
            }
        }
        if isPlain(isAtomOrSpace) { return text }
        guard isPlain({ $0.isASCII }) else { return EncodedWords.encode(text) }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Short, of allowed characters only, and not itself in the form of an encoded word.
    private func isPlain(_ isAllowed: (Unicode.Scalar) -> Bool) -> Bool {
        text.utf8.count <= 60 && text.unicodeScalars.allSatisfy(isAllowed) && !text.contains("=?")
            && text.first != " " && text.last != " "
    }
}

/// Encodes text of any alphabet in a header field (RFC 2047): `=?utf-8?B?…?=`.
enum EncodedWords {
    /// An encoded word has 75 characters at most (RFC 2047, 2): 12 for its delimiters, and Base64
    /// encodes 3 bytes in 4.
    private static let wordBytesMax = 45

    /// `text` in Base64 words on folded lines. No character is split between two words (RFC 2047,
    /// 5).
    static func encode(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > wordBytesMax { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?" + Base64.encode($0) + "?=" }.joined(separator: "\r\n ")
    }

    /// Decodes what `encode` wrote; returns anything else unchanged.
    static func decode(_ field: String) -> String {
        let words = field.split(separator: " ")
        var bytes: [UInt8] = []
        for word in words {
            guard word.hasPrefix("=?utf-8?B?"), word.hasSuffix("?="),
                let part = Base64.decode(Array(word.dropFirst(10).dropLast(2).utf8))
            else { return field }
            bytes += part
        }
        return words.isEmpty ? field : String(decoding: bytes, as: UTF8.self)
    }
}
