/// Escapes text for a line of JSON, so that any content remains one field of one line.
///
/// RFC 8259 §7 requires escapes for quote, backslash and the controls below U+0020. This also
/// escapes the characters that change how a terminal or log viewer shows the rest: DEL and the C1
/// controls (an ANSI escape may begin with U+009B), the line and paragraph separators, and the
/// bidirectional controls (CVE-2021-42574).
enum LogText {
    /// Appends `text` in quotes. After `bytesMax` bytes of escaped text it is truncated with an
    /// ellipsis.
    static func append(_ text: String, to line: inout [UInt8], bytesMax: Int) {
        line.append(UInt8(ascii: "\""))
        let end = line.count + bytesMax
        for scalar in text.unicodeScalars {
            let before = line.count
            append(scalar, to: &line)
            if line.count > end {
                line.removeLast(line.count - before)
                line.append(contentsOf: "…".utf8)
                break
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
        switch scalar.value {
        case 0x22, 0x5C: line.append(contentsOf: [UInt8(ascii: "\\"), UInt8(scalar.value)])
        case 0x0A: line.append(contentsOf: "\\n".utf8)
        case 0x0D: line.append(contentsOf: "\\r".utf8)
        case 0x09: line.append(contentsOf: "\\t".utf8)
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF:
            appendEscape(scalar.value, to: &line)
        default: line.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private static func appendEscape(_ value: UInt32, to line: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        line.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] { line.append(digits[Int((value >> UInt32(shift)) & 15)]) }
    }
}
