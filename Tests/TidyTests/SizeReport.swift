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

    /// Counted as written, without `Generated/`: lines that hold code after comments and strings
    /// are blanked; types that are declared in the first column; types whose name no other file
    /// has; a file's lines with its comments and blank lines.
    @Test("the amount of code in Sources is printed, each figure beside its target")
    func amounts() throws {
        let checkout = try Checkout.here.get()
        let sources = try checkout.written(below: "Sources/", suffix: ".swift")
            .map { try SwiftSource($0, in: checkout) }
        let types = sources.flatMap(Self.topLevelTypes)
        let fileCounts = Self.fileCounts(sources)
        let lengths = sources.map { $0.lines.count - 1 }.sorted()
        let figures = [
            (
                "lines of code", sources.reduce(0) { $0 + $1.code.count { !$0.trimmed.isEmpty } },
                46_000
            ),
            ("files", sources.count, 650),
            ("top-level types", types.count, 900),
            ("types named in one file only", types.count { fileCounts[$0] == 1 }, 100),
            ("lines of a file, median", lengths[lengths.count / 2], 95),
            ("lines of a file, 90 %", lengths[lengths.count * 9 / 10], 200),
            ("lines of a file, max", lengths[lengths.count - 1], 400),
        ]
        for (name, figure, target) in figures {
            print("Sources/ \(name): \(figure) (target \(target))")
        }
    }

    private static func topLevelTypes(_ source: SwiftSource) -> [String] {
        Declarations.typesAndFunctions(of: source)
            .filter { $0.keyword != "func" && !source.code[$0.index].hasPrefix(" ") }
            .map(\.name)
    }

    /// In how many files each word is.
    private static func fileCounts(_ sources: [SwiftSource]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for source in sources {
            let words = source.codeBytes.split { !isLetterOrDigit($0) }
                .map { String(decoding: $0, as: UTF8.self) }
            for word in Set(words) { counts[word, default: 0] += 1 }
        }
        return counts
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        let small = byte | 0x20
        return (small >= 0x61 && small <= 0x7a) || (byte >= 0x30 && byte <= 0x39)
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
