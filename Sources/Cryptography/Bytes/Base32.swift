/// Base32 (RFC 4648, section 6) without padding, as authenticator apps have their secrets: FreeOTP,
/// Authy and Google's app refuse padding.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The text for `bytes`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var (held, bits): (UInt32, Int) = (0, 0)
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(held >> bits) & 31])
            }
        }
        if bits > 0 { text.append(alphabet[Int(held << (5 - bits)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text that another system or a person wrote: in either case, with or without
    /// padding, spaces and hyphens. Nil for any other character. Unused bits are ignored, as apps do:
    /// some systems draw the letters at random.
    package static func decodeLeniently(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (held, bits): (UInt32, Int) = (0, 0)
        for character in text.utf8.reversed().drop(while: { $0 == UInt8(ascii: "=") }).reversed() {
            guard character != UInt8(ascii: " "), character != UInt8(ascii: "-") else { continue }
            guard let value = value(of: character) else { return nil }
            held = held << 5 | value
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> bits))
            }
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
