/// Replaces comments and string literals of a Swift text by spaces; every byte keeps its place.
struct SwiftScanner {
    static let newline = UInt8(ascii: "\n")
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let hash = UInt8(ascii: "#")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Where the contents of the string literals are, as far as the text is read.
    private(set) var strings: [Range<Int>] = []
    private let source: [UInt8]
    private var output: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        source = bytes
        output = bytes
    }

    /// The text with spaces for comments and strings.
    mutating func blanked() -> [UInt8] {
        while position < source.count { step() }
        return output
    }

    /// Consumes one comment, one string or one byte of code.
    private mutating func step() {
        let byte = source[position]
        if byte == Self.slash, follows(Self.slash, at: 1) {
            while position < source.count, source[position] != Self.newline { blank() }
        } else if byte == Self.slash, follows(Self.star, at: 1) {
            blankComment()
        } else if byte == Self.quote || byte == Self.hash, let hashes = stringOpening() {
            blankString(hashes: hashes)
        } else {
            position += 1
        }
    }

    private mutating func blankComment() {
        var depth = 0
        repeat {
            if follows(Self.slash), follows(Self.star, at: 1) {
                depth += 1
                blank()
            } else if follows(Self.star), follows(Self.slash, at: 1) {
                depth -= 1
                blank()
            }
            blank()
        } while depth > 0 && position < source.count
    }

    /// The number of `#` before a quote at this position; nil if no string begins here.
    private func stringOpening() -> Int? {
        var hashes = 0
        while follows(Self.hash, at: hashes) { hashes += 1 }
        return follows(Self.quote, at: hashes) ? hashes : nil
    }

    private mutating func blankString(hashes: Int) {
        blank(times: hashes)
        let quotes = follows(Self.quote, at: 1) && follows(Self.quote, at: 2) ? 3 : 1
        blank(times: quotes)
        let start = position
        while position < source.count, !endsString(quotes: quotes, hashes: hashes) {
            guard follows(Self.backslash), hasHashes(hashes, at: 1) else {
                blank()
                continue
            }
            blank(times: 2 + hashes)
            if source[position - 1] == UInt8(ascii: "(") { skipInterpolation() }
        }
        strings.append(start..<position)
        blank(times: quotes + hashes)
    }

    /// Whether the closing quotes of a string begin at this position.
    private func endsString(quotes: Int, hashes: Int) -> Bool {
        follows(Self.quote) && (quotes == 1 || follows(Self.quote, at: 1))
            && (quotes == 1 || follows(Self.quote, at: 2)) && hasHashes(hashes, at: quotes)
    }

    private func hasHashes(_ hashes: Int, at offset: Int) -> Bool {
        hashes == 0 || (0..<hashes).allSatisfy { follows(Self.hash, at: offset + $0) }
    }

    /// Code in an interpolation stays, up to the closing bracket.
    private mutating func skipInterpolation() {
        var depth = 1
        while position < source.count, depth > 0 {
            if source[position] == UInt8(ascii: "(") { depth += 1 }
            if source[position] == UInt8(ascii: ")") { depth -= 1 }
            step()
        }
    }

    private func follows(_ byte: UInt8, at offset: Int = 0) -> Bool {
        position + offset < source.count && source[position + offset] == byte
    }

    private mutating func blank(times: Int = 1) {
        for _ in 0..<times where position < source.count {
            if source[position] != Self.newline { output[position] = UInt8(ascii: " ") }
            position += 1
        }
    }
}
