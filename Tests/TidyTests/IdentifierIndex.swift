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
    }

    private var places: [String: [Place]] = [:]

    init(_ sources: [SwiftSource]) {
        for source in sources { add(source) }
    }

    /// The places of an identifier, in any order.
    func places(of name: String) -> [Place] { places[name] ?? [] }

    private mutating func add(_ source: SwiftSource) {
        for (line, code) in source.code.enumerated() {
            var rest = Array(code.utf8)[...]
            var before: [UInt8] = []
            while let start = rest.firstIndex(where: Self.isWord) {
                before += rest[..<start]
                let word = rest[start...].prefix(while: Self.isWord)
                rest = rest[word.endIndex...]
                let isDeclared = before.ends(with: "func ".utf8)
                places[String(decoding: word, as: UTF8.self), default: []].append(
                    Place(
                        path: source.path, line: line,
                        isMember: before.last == UInt8(ascii: "."),
                        isCalled: rest.first == UInt8(ascii: "(") && !isDeclared))
                before += word
            }
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

extension [UInt8] {
    /// Whether the last bytes are these.
    fileprivate func ends(with end: some Collection<UInt8>) -> Bool {
        suffix(end.count).elementsEqual(end)
    }
}
