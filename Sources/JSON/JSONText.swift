/// Writes a text as a JSON string: in quotes, escaped.
package enum JSONText {
    /// Which characters are escaped.
    package enum Escapes: Sendable {
        /// Quote, backslash and the controls below U+0020, as RFC 8259 §7 requires.
        case required
        /// Also all other characters of `changesDisplay`. For text from outside that a person
        /// reads.
        case shown
        /// Those of `required`, in the one form of RFC 8785, 3.2.2.2, which is what JavaScript's
        /// `JSON.stringify` writes: for a text that others have to write byte for byte.
        case canonical
    }

    /// Whether a character changes how a terminal or log viewer shows the rest: the controls (an
    /// ANSI escape may begin with U+001B or U+009B), the line and paragraph separators, and the
    /// bidirectional controls (CVE-2021-42574).
    package static func changesDisplay(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF:
            true
        default: false
        }
    }

    /// Appends `text` to `bytes`. After `bytesMax` bytes of escaped text it is truncated with an
    /// ellipsis.
    package static func append(
        _ text: String, to bytes: inout [UInt8], _ escapes: Escapes, bytesMax: Int = .max
    ) {
        bytes.append(UInt8(ascii: "\""))
        if isPlain(text.utf8.span), text.utf8.count <= bytesMax {
            bytes.append(contentsOf: text.utf8)
        } else {
            appendRuns(of: text, to: &bytes, escapes, bytesMax: bytesMax)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendRuns(
        of text: String, to bytes: inout [UInt8], _ escapes: Escapes, bytesMax: Int
    ) {
        let start = bytes.count
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let before = bytes.count
            let plain = rest.prefix(while: isPlain)
            if plain.isEmpty {
                append(text.unicodeScalars[rest.startIndex], to: &bytes, escapes)
                rest = rest[text.unicodeScalars.index(after: rest.startIndex)...]
            } else {
                bytes.append(contentsOf: plain)
                rest = rest[plain.endIndex...]
            }
            guard bytes.count - start > bytesMax else { continue }
            // A run may be cut anywhere; the rest of an escape means nothing.
            bytes.removeLast(bytes.count - (plain.isEmpty ? before : start + bytesMax))
            bytes.append(contentsOf: "…".utf8)
            break
        }
    }

    /// Whether nothing is escaped, as in most texts.
    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !isPlain(bytes[index]) { return false }
        return true
    }

    /// Whether a byte is a character that is never escaped.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func append(
        _ scalar: Unicode.Scalar, to bytes: inout [UInt8], _ escapes: Escapes
    ) {
        switch (scalar.value, escapes) {
        case (0x22, _), (0x5C, _):
            bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(scalar.value)])
        case (0x0A, .shown), (0x0A, .canonical): bytes.append(contentsOf: "\\n".utf8)
        case (0x0D, .shown), (0x0D, .canonical): bytes.append(contentsOf: "\\r".utf8)
        case (0x09, .shown), (0x09, .canonical): bytes.append(contentsOf: "\\t".utf8)
        case (0x08, .canonical): bytes.append(contentsOf: "\\b".utf8)
        case (0x0C, .canonical): bytes.append(contentsOf: "\\f".utf8)
        case (0x00...0x1F, _): appendEscape(scalar.value, to: &bytes)
        case (_, .shown) where changesDisplay(scalar): appendEscape(scalar.value, to: &bytes)
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private static func appendEscape(_ value: UInt32, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] { bytes.append(digits[Int((value >> UInt32(shift)) & 15)]) }
    }
}
