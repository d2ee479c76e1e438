import Testing

@Suite("Documentation of declarations")
struct DocumentationTests {
    @Test("every package and public declaration has a line of documentation")
    func documented() throws {
        let checkout = try Checkout.here.get()
        let paths = checkout.paths.filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
        let sources = try paths.map { try SwiftSource($0, in: checkout) }
        let requirements = Set(sources.flatMap(Declarations.requirements))
        let findings = sources.filter { !$0.path.contains("/Generated/") }
            .flatMap { Self.undocumented(in: $0, besides: requirements) }
        expectNone(findings)
    }

    @Test("the lines in Swift of the page for apps are those that Tests/Interop/swift-client runs")
    func swiftLines() throws {
        let checkout = try Checkout.here.get()
        let page = try checkout.text(of: "Protos/postern/gateway/swift.md")
        let example = try checkout.text(
            of: "Tests/Interop/swift-client/Sources/example/main.swift")
        let blocks = page.split(separator: "```swift\n").dropFirst()
            .compactMap { $0.split(separator: "```\n").first }
        #expect(blocks.count == 2)
        for block in blocks {
            // The comment about Package.swift has its place there.
            let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
                .drop { $0.hasPrefix("//") }
            #expect(example.contains(lines.joined(separator: "\n")), "\(block)")
        }
    }

    @Test("an undocumented declaration is found; a documented one, a witness and an import are not")
    func twin() {
        let text = """
            package import NIOCore
            /// Known.
            @frozen
            package struct A {
                package var b: Int
                /// Known.
                // With a second thought.
                package static func c() {}
                package func d(e: Int) {}
                open = nil
            }
            package protocol D {
                func d(e: Int)
            }
            """
        let source = SwiftSource(path: "x", text: text)
        let requirements = Set(Declarations.requirements(of: source))
        #expect(requirements == ["func d"])
        let found = Self.undocumented(in: source, besides: requirements)
        #expect(found.map(\.line) == [5, 12])
    }

    /// Declarations without documentation, except witnesses of a documented protocol requirement.
    private static func undocumented(
        in source: SwiftSource, besides requirements: Set<String>
    ) -> [Finding] {
        Declarations.widelyVisibleLines(of: source).compactMap { index in
            guard let name = Declarations.widelyVisible(in: source.code[index]),
                !requirements.contains(name), !Declarations.standardWitnesses.contains(name),
                !source.comment(above: index).contains(where: { $0.hasPrefix("///") })
            else { return nil }
            return Finding(
                path: source.path, line: index + 1,
                complaint: "not documented: \(source.lines[index].trimmed)")
        }
    }
}
