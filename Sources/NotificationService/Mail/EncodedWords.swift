import Cryptography

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
