import Glibc
import Synchronization

/// A Swift file by lines: as written, and with comments and string literals replaced by spaces.
///
/// A scanner, not a parser: it knows comments (nested) and string literals (raw, multi-line, with
/// interpolation) and nothing else, which is all that these rules need.
struct SwiftSource {
    let path: String
    /// The lines as written.
    let lines: [Substring]
    /// The same lines, with spaces for comments and strings.
    let code: [Substring]
    /// The bytes of `code`, with the newlines.
    let codeBytes: [UInt8]
    /// The bytes as written.
    private let bytes: [UInt8]
    /// Where each line begins in `codeBytes`.
    private let starts: [Int]
    /// Where the contents of the string literals are.
    private let strings: [Range<Int>]

    init(path: String, text: String) {
        let bytes = Array(text.utf8)
        var scanner = SwiftScanner(bytes)
        self.path = path
        self.bytes = bytes
        codeBytes = scanner.blanked()
        strings = scanner.strings
        // A blanked byte keeps its place, so that both texts have the same line starts.
        starts = [0] + bytes.indices.filter { bytes[$0] == SwiftScanner.newline }.map { $0 + 1 }
        lines = Self.lines(of: bytes, starts: starts)
        code = Self.lines(of: codeBytes, starts: starts)
    }

    /// Files of the checkout that were scanned, by their whole path.
    private static let scanned = Mutex<[String: SwiftSource]>([:])

    /// A file of the checkout. Each is read and scanned once in a process, since most rules read
    /// all of them.
    init(_ path: String, in checkout: Checkout) throws {
        let key = checkout.root + "/" + path
        if let known = Self.scanned.withLock({ $0[key] }) {
            self = known
            return
        }
        let source = SwiftSource(path: path, text: try checkout.text(of: path))
        Self.scanned.withLock { $0[key] = source }
        self = source
    }

    /// A string literal.
    struct Literal {
        /// What is between the quotes, as written.
        let text: String
        /// The index of its first line.
        let line: Int
        /// The code before it on that line.
        let before: String
    }

    /// The string literals, also those in interpolations of others.
    var literals: [Literal] {
        strings.map { range in
            let line = lineIndex(of: range.lowerBound)
            return Literal(
                text: String(decoding: bytes[range], as: UTF8.self), line: line,
                before: String(
                    decoding: codeBytes[starts[line]..<range.lowerBound], as: UTF8.self))
        }
    }

    /// The indices of the lines whose code contains one of the texts, in ascending order. A search
    /// for bytes, so that a rule looks closely only at the few lines that could break it.
    func lineIndices(containing texts: String...) -> [Int] {
        var found: Set<Int> = []
        codeBytes.withUnsafeBytes { bytes in
            for var text in texts {
                text.withUTF8 { found.formUnion(places(of: UnsafeRawBufferPointer($0), in: bytes)) }
            }
        }
        return found.sorted()
    }

    /// The indices of the lines in which a text begins.
    private func places(
        of text: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
    ) -> [Int] {
        guard let start = bytes.baseAddress, let wanted = text.baseAddress else { return [] }
        var places: [Int] = []
        var position = 0
        while let hit = memchr(start + position, Int32(text[0]), bytes.count - position) {
            position = start.distance(to: hit)
            guard bytes.count - position >= text.count else { break }
            if memcmp(hit, wanted, text.count) == 0 {
                places.append(lineIndex(of: position))
            }
            position += 1
        }
        return places
    }

    /// The line of a byte, by binary search.
    private func lineIndex(of offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Whether a comment is on the line, on the next one, or up to eight lines above without a
    /// blank line in between: one comment may explain a list.
    func isCommented(line index: Int) -> Bool {
        let above = (max(0, index - 8)..<index).reversed().prefix { !lines[$0].trimmed.isEmpty }
        return ([index, index + 1] + above).contains {
            lines.indices.contains($0) && holdsComment($0)
        }
    }

    /// The lines of comment directly above a declaration and its attributes, the nearest first.
    func comment(above index: Int) -> [Substring] {
        let above = (0..<index).reversed().drop { code[$0].trimmed.hasPrefix("@") }
        return above.prefix { lines[$0].trimmed.hasPrefix("//") }.map { lines[$0].trimmed }
    }

    private func holdsComment(_ index: Int) -> Bool {
        lines[index].contains("//") && !code[index].contains("//")
    }

    private static func lines(of bytes: [UInt8], starts: [Int]) -> [Substring] {
        let text = String(decoding: bytes, as: UTF8.self).utf8
        // Each line ends before the newline in front of the next one.
        return zip(starts, starts.dropFirst().map { $0 - 1 } + [bytes.count]).map { start, end in
            let first = text.index(text.startIndex, offsetBy: start)
            return Substring(text[first..<text.index(first, offsetBy: end - start)])
        }
    }
}

extension Substring {
    /// Without spaces at either end.
    var trimmed: Substring {
        let isText: (UInt8) -> Bool = { $0 != 0x20 && $0 != 0x09 }
        guard let first = utf8.firstIndex(where: isText), let last = utf8.lastIndex(where: isText)
        else { return "" }
        return Substring(utf8[first...last])
    }
}
