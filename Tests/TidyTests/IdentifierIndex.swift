/// Where the identifiers of the hand-written sources occur, outside of comments and strings.
struct IdentifierIndex {
    /// One occurrence of an identifier.
    struct Place {
        let path: String
        /// Counted from 0.
        let line: Int
        /// Whether a dot is directly before it, as in `.register`.
        let isMember: Bool
        /// Whether a parenthesis is directly after it, and it is not being declared.
        let isCalled: Bool
        /// What it is a member of, if that is a name or a call: `a` of `a.b`, `a?.b`, `a(1).b` and
        /// `$0` of `$0.b`.
        let receiver: String?
    }

    private var places: [String: [Place]] = [:]

    init(_ sources: [SwiftSource]) {
        for source in sources { add(source) }
    }

    /// The places of an identifier, in any order.
    func places(of name: String) -> [Place] { places[name] ?? [] }

    private mutating func add(_ source: SwiftSource) {
        let bytes = source.codeBytes
        var (line, position) = (0, 0)
        var isDeclared = false
        while position < bytes.count {
            guard Self.isWord(bytes[position]) else {
                if bytes[position] == SwiftScanner.newline { line += 1 }
                position += 1
                continue
            }
            let word = bytes[position...].prefix(while: Self.isWord)
            let name = String(decoding: word, as: UTF8.self)
            let isMember = position > 0 && bytes[position - 1] == UInt8(ascii: ".")
            places[name, default: []].append(
                Place(
                    path: source.path, line: line, isMember: isMember,
                    isCalled: !isDeclared && word.endIndex < bytes.count
                        && bytes[word.endIndex] == UInt8(ascii: "("),
                    receiver: isMember ? Self.receiver(before: position - 1, in: bytes) : nil))
            isDeclared = name == "func"
            position = word.endIndex
        }
    }

    /// The name, or the name of the call, that ends before the dot.
    private static func receiver(before dot: Int, in bytes: [UInt8]) -> String? {
        var end = dot
        while end > 0, isBetween(bytes[end - 1]) { end -= 1 }
        if end > 0, bytes[end - 1] == UInt8(ascii: ")") {
            var depth = 0
            repeat {
                end -= 1
                if bytes[end] == UInt8(ascii: ")") { depth += 1 }
                if bytes[end] == UInt8(ascii: "(") { depth -= 1 }
            } while depth > 0 && end > 0
        }
        var start = end
        while start > 0, isWord(bytes[start - 1]) || bytes[start - 1] == UInt8(ascii: "$") {
            start -= 1
        }
        return start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
    }

    /// Whether the byte may be between a name and the dot of its member.
    private static func isBetween(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "?"), UInt8(ascii: "!"), SwiftScanner.newline: true
        default: false
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
