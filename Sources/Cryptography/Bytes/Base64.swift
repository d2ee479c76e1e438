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
        Alphabet.standard.encode(bytes)
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
        return Alphabet.standard.decode(digits, ignoresUnusedBits: true)
    }

    /// The bytes of an unpadded text. Nil unless the text is what `encodeUnpadded` returns for
    /// them.
    package static func decodeUnpadded(_ text: some Collection<UInt8>) -> [UInt8]? {
        Alphabet.standard.decode(text)
    }

    /// The 64 characters of one variant of Base64, and their values.
    struct Alphabet: Sendable {
        static let standard = Alphabet(last: "+/")
        static let url = Alphabet(last: "-_")

        private static let invalid: UInt8 = 0xFF
        private let characters: [UInt8]
        private let values: [UInt8]

        private init(last: StaticString) {
            var characters = Array(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            last.withUTF8Buffer { characters += $0 }
            var values = [UInt8](repeating: Self.invalid, count: 256)
            for (value, character) in characters.enumerated() {
                values[Int(character)] = UInt8(value)
            }
            self.characters = characters
            self.values = values
        }

        /// Text without padding.
        func encode(_ bytes: some Collection<UInt8>) -> String {
            withContiguousBytes(of: bytes) { source in
                String(unsafeUninitializedCapacity: (source.count * 4 + 2) / 3) { target in
                    encode(source, into: target)
                }
            }
        }

        private func encode(
            _ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>
        ) -> Int {
            var (held, bits, written): (UInt32, Int, Int) = (0, 0, 0)
            for byte in source {
                held = held << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    target[written] = characters[Int(held >> bits) & 63]
                    written += 1
                }
            }
            if bits > 0 {
                target[written] = characters[Int(held << (6 - bits)) & 63]
                written += 1
            }
            return written
        }

        /// The bytes of a text without padding. Nil for an invalid character or length, and when
        /// unused bits are set, unless they are ignored.
        func decode(_ text: some Collection<UInt8>, ignoresUnusedBits: Bool = false) -> [UInt8]? {
            withContiguousBytes(of: text) { source in
                guard source.count % 4 != 1 else { return nil }
                var bytes = [UInt8]()
                bytes.reserveCapacity(source.count * 3 / 4)
                var (held, bits): (UInt32, Int) = (0, 0)
                for character in source {
                    let value = values[Int(character)]
                    guard value != Self.invalid else { return nil }
                    held = held << 6 | UInt32(value)
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        bytes.append(UInt8(truncatingIfNeeded: held >> bits))
                    }
                }
                guard ignoresUnusedBits || held & (1 << bits - 1) == 0 else { return nil }
                return bytes
            }
        }
    }
}

/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), as tokens and keys use it.
package enum Base64URL {
    /// The text for `bytes`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.Alphabet.url.encode(bytes)
    }

    /// The bytes of `text`. Nil unless the text is what `encode` returns for them.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64.Alphabet.url.decode(text)
    }
}
