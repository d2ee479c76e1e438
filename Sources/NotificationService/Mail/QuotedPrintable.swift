/// Text of any length and alphabet in lines of 76 ASCII characters that a person can still read
/// (RFC 2045, 6.7). Base64 would hide a mail in the inbox folder from its reader.
enum QuotedPrintable {
    private static let lineBytesMax = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// `text`, whose line ends become CR LF.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            encode(line, into: &encoded)
            encoded += [13, 10]
        }
        return encoded
    }

    private static func encode(_ line: Substring, into encoded: inout [UInt8]) {
        var width = 0
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            var unit = unit(byte, isFirst: width == 0, isLast: isLast)
            // A soft line end takes one column itself.
            if width + unit.count > lineBytesMax - (isLast ? 0 : 1) {
                encoded += [UInt8(ascii: "="), 13, 10]
                width = 0
                unit = self.unit(byte, isFirst: true, isLast: isLast)
            }
            encoded += unit
            width += unit.count
        }
    }

    /// One byte as it stands. White space at a line's end would be lost, and a dot at its start is
    /// for SMTP to double: both are written as digits.
    private static func unit(_ byte: UInt8, isFirst: Bool, isLast: Bool) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "."): isFirst ? hexadecimal(byte) : [byte]
        case UInt8(ascii: " "): isLast ? hexadecimal(byte) : [byte]
        case 33...126 where byte != UInt8(ascii: "="): [byte]
        default: hexadecimal(byte)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// The text of what `encode` wrote, with LF line ends; a broken code stays as it is.
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
