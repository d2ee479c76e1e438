import Testing

@Suite("Sizes of files and functions, reported only")
struct SizeReport {
    /// The figures of exemplary projects, in lines.
    private let examples =
        "examples: files median 100, 90 % 300, max 400; functions 90 % 20, max 70"

    @Test(
        "the sizes of files and functions are printed beside those of the examples",
        arguments: ["Sources/", "Tests/"])
    func report(folder: String) throws {
        let checkout = try Checkout.here.get()
        let sources = try checkout.written(below: folder, suffix: ".swift")
            .map { try SwiftSource($0, in: checkout) }
        let files = sources.map { Size(lines: $0.lines.count - 1, name: $0.path) }
        let functions = sources.flatMap(FunctionSizes.of)
        print("\(folder) files: \(Self.summary(files))")
        print("\(folder) functions: \(Self.summary(functions))")
        print("\(folder) \(examples)")
    }

    @Test("a function's length is counted from its name to its closing brace")
    func functions() {
        let text = """
            protocol P {
                func a()
                func b() -> Int
            }
            func c(
                _ x: Int = { 1 }()
            ) -> Int {
                x
            }
            """
        let sizes = FunctionSizes.of(SwiftSource(path: "x", text: text))
        #expect(sizes.map(\.lines) == [5])
    }

    private static func summary(_ sizes: [Size]) -> String {
        let sorted = sizes.sorted { $0.lines < $1.lines }
        guard let largest = sorted.last else { return "none" }
        let median = sorted[sorted.count / 2].lines
        let most = sorted[sorted.count * 9 / 10].lines
        return
            "\(sorted.count), median \(median), 90 % \(most), max \(largest.lines) (\(largest.name))"
    }
}
