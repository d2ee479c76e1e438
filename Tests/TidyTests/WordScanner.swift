/// The words of a text, in order. A word consists of ASCII letters, digits, `-`, `_`, `.` and `/`,
/// so that a path is one word, and so is an id with its hyphen.
struct WordScanner: Sequence, IteratorProtocol {
    /// A word and the bytes on either side of it.
    struct Word {
        let bytes: ArraySlice<UInt8>
        /// Whether a `-` or a `.` is in it.
        let hasHyphen: Bool
        let hasDot: Bool
        /// Counted from 1.
        let line: Int
        /// A newline at the start and the end of the text.
        let before: UInt8
        let after: UInt8

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func next() -> Word? {
        while position < bytes.count, !Self.isWordPart[Int(bytes[position])] {
            if bytes[position] == Self.newline { line += 1 }
            position += 1
        }
        guard position < bytes.count else { return nil }
        let start = position
        var hasHyphen = false
        var hasDot = false
        while position < bytes.count, Self.isWordPart[Int(bytes[position])] {
            if bytes[position] == Self.hyphen { hasHyphen = true }
            if bytes[position] == Self.dot { hasDot = true }
            position += 1
        }
        return Word(
            bytes: bytes[start..<position], hasHyphen: hasHyphen, hasDot: hasDot, line: line,
            before: start > 0 ? bytes[start - 1] : Self.newline,
            after: position < bytes.count ? bytes[position] : Self.newline)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let hyphen = UInt8(ascii: "-")
    private static let dot = UInt8(ascii: ".")

    /// By byte: a look-up, since every byte of the checkout is classified.
    private static let isWordPart = (0...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
