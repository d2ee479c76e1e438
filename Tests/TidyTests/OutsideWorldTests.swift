import Testing

@Suite("Only programs access time, randomness and output directly")
struct OutsideWorldTests {
    /// Each call that accesses the system directly, with its replacement.
    private static let forbidden: [(call: String, instead: String)] = [
        ("Date()", "take Time through init"),
        (".now", "take Time through init"),
        (".random", "take Randomness through init"),
        ("UUID()", "take Randomness through init"),
        ("print(", "log"),
    ]

    @Test("no library reads the clock, draws random values or prints")
    func libraries() throws {
        let checkout = try Checkout.here.get()
        let findings = try checkout.written(below: "Sources/", suffix: ".swift")
            .filter { path in !ModuleGraph.isProgram(ModuleGraph.module(of: path) ?? "") }
            .flatMap { Self.findings(in: try SwiftSource($0, in: checkout)) }
        expectNone(findings)
    }

    @Test(
        "each forbidden call is found",
        arguments: [
            "let d = Date()", "Date.now", "ContinuousClock.now.x", "Int.random(in: 0..<2)",
            "NIODeadline.now()", "let u = UUID()", "print(a)", "  print(\"\\(Date())\")",
        ])
    func found(code: String) {
        #expect(!Self.findings(in: SwiftSource(path: "x", text: code)).isEmpty)
    }

    @Test(
        "the injected interfaces, comments and longer names are not taken for forbidden calls",
        arguments: [
            "time.now()", "// Date()", "\"print(\"", "footprint(a)", "Timestamp.nowhere",
            "CalendarDate()", ".randomness",
        ])
    func passed(code: String) {
        #expect(Self.findings(in: SwiftSource(path: "x", text: code)).isEmpty)
    }

    private static func findings(in source: SwiftSource) -> [Finding] {
        forbidden.flatMap { call, instead in
            source.lineIndices(containing: call).filter { stands(call, in: source.code[$0]) }.map {
                Finding(
                    path: source.path, line: $0 + 1,
                    complaint: "\(call) outside programs: \(instead)")
            }
        }
    }

    /// Whether the line contains the call as a whole word; `time.now()` is the injected interface.
    private static func stands(_ call: String, in line: Substring) -> Bool {
        line.ranges(of: call).contains { range in
            let before = line[..<range.lowerBound].last
            let after = line[range.upperBound...].first
            let begins = call.hasPrefix(".") || !(before?.isWordPart ?? false)
            let ends = call.hasSuffix("(") || call.hasSuffix(")") || !(after?.isWordPart ?? false)
            let isSeam = call == ".now" && after == "(" && !isOthersClock(line[..<range.lowerBound])
            return begins && ends && !isSeam
        }
    }

    private static func isOthersClock(_ before: Substring) -> Bool {
        ["NIODeadline", "DispatchTime", "Clock"].contains { before.hasSuffix($0) }
    }
}

extension Character {
    fileprivate var isWordPart: Bool { isLetter || isNumber || self == "_" }
}
