import Testing

@Suite("Functions that other modules call say which errors they throw")
struct ThrowsTests {
    @Test("every throwing package or public function has a `- Throws:` line")
    func documented() throws {
        let checkout = try Checkout.here.get()
        let sources = try checkout.written(below: "Sources/", suffix: ".swift")
            .map { try SwiftSource($0, in: checkout) }
        expectNone(sources.flatMap(Self.undocumented))
    }

    @Test("a throwing function without the line is found; a closure that throws is not one")
    func twin() {
        let text = """
            /// Known.
            package func a(
                _ body: () throws -> Void
            ) throws {
            }
            /// Known.
            /// - Throws: `rpc/internal`.
            package func b() throws(ServiceError) {
            }
            /// Known.
            package func c(_ body: () throws -> Void) {
            }
            """
        let found = Self.undocumented(in: SwiftSource(path: "x", text: text))
        #expect(found.map(\.line) == [2])
    }

    /// Throwing package and public functions without a `- Throws:` line.
    static func undocumented(in source: SwiftSource) -> [Finding] {
        Declarations.widelyVisibleLines(of: source).compactMap { index in
            guard let name = Declarations.widelyVisible(in: source.code[index]),
                name.hasPrefix("func ") || name.hasPrefix("init"),
                throwsErrors(source, index),
                !source.comment(above: index).contains(where: { $0.contains("- Throws:") })
            else { return nil }
            return Finding(
                path: source.path, line: index + 1,
                complaint: "no `- Throws:`: \(source.lines[index].trimmed)")
        }
    }

    /// Whether `throws` stands in the signature outside of its parameters.
    private static func throwsErrors(_ source: SwiftSource, _ first: Int) -> Bool {
        var depth = 0
        var outside = ""
        for line in source.code[first..<min(first + 20, source.code.count)] {
            for character in line {
                switch character {
                case "(", "[": depth += 1
                case ")", "]": depth -= 1
                case "{" where depth == 0: return outside.contains(" throws")
                default: if depth == 0 { outside.append(character) }
                }
            }
            outside.append(" ")
        }
        return false
    }
}
