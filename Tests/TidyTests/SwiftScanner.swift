/// Replaces comments and string literals of a Swift text by spaces; every line keeps its place.
struct SwiftScanner {
    private let source: [UInt8]
    private var output: [UInt8] = []
    private var position = 0

    init(_ text: String) {
        source = Array(text.utf8)
        output.reserveCapacity(source.count)
    }

    /// The text with spaces for comments and strings.
    mutating func blanked() -> String {
        while position < source.count { step() }
        return String(decoding: output, as: UTF8.self)
    }

    /// Consumes one comment, one string or one byte of code.
    private mutating func step() {
        if follows("//") {
            while position < source.count, source[position] != newline { blank() }
        } else if follows("/*") {
            blankComment()
        } else if let hashes = stringOpening() {
            blankString(hashes: hashes)
        } else {
            output.append(source[position])
            position += 1
        }
    }

    private mutating func blankComment() {
        var depth = 0
        repeat {
            if follows("/*") {
                depth += 1
                blank()
            } else if follows("*/") {
                depth -= 1
                blank()
            }
            blank()
        } while depth > 0 && position < source.count
    }

    /// The number of `#` before a quote at this position; nil if no string begins here.
    private func stringOpening() -> Int? {
        var hashes = 0
        while position + hashes < source.count, source[position + hashes] == UInt8(ascii: "#") {
            hashes += 1
        }
        let quote = position + hashes
        return quote < source.count && source[quote] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func blankString(hashes: Int) {
        blank(times: hashes)
        let pounds = String(repeating: "#", count: hashes)
        let quotes = follows("\"\"\"") ? "\"\"\"" : "\""
        blank(times: quotes.utf8.count)
        while position < source.count, !follows(quotes + pounds) {
            if follows("\\" + pounds + "(") {
                blank(times: 2 + hashes)
                skipInterpolation()
            } else if follows("\\" + pounds) {
                blank(times: 2 + hashes)
            } else {
                blank()
            }
        }
        blank(times: quotes.utf8.count + hashes)
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

    private func follows(_ mark: String) -> Bool {
        source[position...].starts(with: mark.utf8)
    }

    private mutating func blank(times: Int = 1) {
        for _ in 0..<times where position < source.count {
            output.append(source[position] == newline ? newline : UInt8(ascii: " "))
            position += 1
        }
    }

    private var newline: UInt8 { UInt8(ascii: "\n") }
}
