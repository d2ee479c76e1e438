/// Encodes text of any length and alphabet in lines of at most 76 ASCII characters that are still
/// readable (RFC 2045, 6.7). With Base64 a mail in the inbox folder would be unreadable.
enum QuotedPrintable {
    private static let lineBytesMax = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Appends `text`, encoded; line ends become CR LF. A single pass without a copy, because this
    /// is most of the cost of making a mail.
    static func encode(_ text: String, into encoded: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            var width = 0
            for (index, byte) in bytes.enumerated() {
                if byte == 10 {
                    encoded += [13, 10]
                    width = 0
                } else if byte != 13 || !isLineFeed(bytes, at: index + 1) {
                    let isLast = isLineEnd(bytes, at: index + 1)
                    append(byte, isLast: isLast, width: &width, to: &encoded)
                }
            }
            encoded += [13, 10]
        }
    }

    private static func isLineFeed(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        index < bytes.count && bytes[index] == 10
    }

    private static func isLineEnd(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        guard index < bytes.count else { return true }
        return bytes[index] == 10 || bytes[index] == 13 && isLineFeed(bytes, at: index + 1)
    }

    private static func append(
        _ byte: UInt8, isLast: Bool, width: inout Int, to encoded: inout [UInt8]
    ) {
        var isPlain = isPlain(byte, isFirst: width == 0, isLast: isLast)
        // A soft line break takes one column itself.
        if width + (isPlain ? 1 : 3) > lineBytesMax - (isLast ? 0 : 1) {
            encoded += [UInt8(ascii: "="), 13, 10]
            width = 0
            isPlain = self.isPlain(byte, isFirst: true, isLast: isLast)
        }
        width += isPlain ? 1 : 3
        if isPlain {
            encoded.append(byte)
        } else {
            encoded.append(UInt8(ascii: "="))
            encoded.append(digits[Int(byte >> 4)])
            encoded.append(digits[Int(byte & 15)])
        }
    }

    /// Whether a byte is written unencoded. White space at a line's end could be lost, and SMTP
    /// would double a dot at its start, so these are encoded.
    private static func isPlain(_ byte: UInt8, isFirst: Bool, isLast: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "."): !isFirst
        case UInt8(ascii: " "): !isLast
        case 33...126: byte != UInt8(ascii: "=")
        default: false
        }
    }

    /// Decodes what `encode` wrote, with LF line ends. An invalid escape is left unchanged.
    static func decode(_ text: String) -> String {
        let source = Array(text.replacing("=\n", with: "").utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "="), index + 2 < source.count,
                let high = digit(source[index + 1]), let low = digit(source[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(source[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        digits.firstIndex(of: byte).map { UInt8($0) }
    }
}
