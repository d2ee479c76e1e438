/// A 64-bit key as thirteen lower-case characters of Crockford's base32, most significant first.
/// Source: https://www.crockford.com/base32.html
enum CrockfordKey {
    /// 13 × 5 = 65 bits hold any 64-bit key.
    static let digitsCount = 13

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// `prefix_` and the key's digits.
    static func encode(_ key: Int64, after prefix: String) -> String {
        let bits = UInt64(bitPattern: key)
        let digits = (0..<digitsCount).map { place in
            alphabet[Int((bits >> UInt64(5 * (digitsCount - 1 - place))) & 31)]
        }
        return prefix + "_" + String(decoding: digits, as: UTF8.self)
    }

    /// The key of exactly such a text. Nil for any other text, and for a key that exceeds 63 bits.
    static func decode(_ text: String, after prefix: String) -> Int64? {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + digitsCount,
            bytes.starts(with: prefix.utf8),
            bytes.dropFirst(prefix.utf8.count).first == UInt8(ascii: "_")
        else { return nil }
        var bits: UInt64 = 0
        for byte in bytes.suffix(digitsCount) {
            guard bits >> 58 == 0, let digit = value(of: byte) else { return nil }
            bits = bits << 5 | digit
        }
        return Int64(exactly: bits)
    }

    private static func value(of byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            alphabet.firstIndex(of: byte).map { UInt64($0) }
        default: nil
        }
    }
}
