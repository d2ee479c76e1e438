import Cryptography

/// Words of any alphabet in a header field, as RFC 2047 writes them: `=?utf-8?B?…?=`.
enum EncodedWords {
    /// An encoded word has 75 characters at most (section 2): 12 for its frame, and base64 makes 4
    /// of 3 bytes.
    private static let wordBytesMax = 45

    /// `text` in base64 words on folded lines; no character is split between two words (section 5).
    static func encode(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > wordBytesMax { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?" + Base64.encode($0) + "?=" }.joined(separator: "\r\n ")
    }

    /// The text of what `encode` wrote; anything else as it is.
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
