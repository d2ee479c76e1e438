/// Strict Base64 (RFC 4648). A decoder that accepted unused bits or wrong padding would accept
/// several texts for one value, so that a token could be changed without notice.
package enum Base64 {
    /// The text for `bytes`, in the alphabet of section 4 (`+` and `/`), padded with `=`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = encodeUnpadded(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// The text for `bytes` without padding, as PHC strings use it.
    package static func encodeUnpadded(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.standard.encode(bytes)
    }

    /// The bytes of a padded text. Nil unless the text is what `encode` returns for them.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return decodeUnpadded(text.dropLast(padding))
    }

    /// The bytes of a text in either alphabet, with or without padding, as proto's JSON has it. Not
    /// for tokens: unused bits are ignored, so that several texts give the same bytes.
    package static func decodeLeniently(_ text: some Collection<UInt8>) -> [UInt8]? {
        var digits = text.map { digit in
            switch digit {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        if digits.count.isMultiple(of: 4), digits.last == UInt8(ascii: "=") {
            digits.removeLast()
            if digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        return Base64Alphabet.standard.decode(digits, ignoresUnusedBits: true)
    }

    /// The bytes of an unpadded text. Nil unless the text is what `encodeUnpadded` returns for
    /// them.
    package static func decodeUnpadded(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Alphabet.standard.decode(text)
    }
}

/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), as tokens and keys use it.
package enum Base64URL {
    /// The text for `bytes`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.url.encode(bytes)
    }

    /// The bytes of `text`. Nil unless the text is what `encode` returns for them.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.decode(text)
    }
}
