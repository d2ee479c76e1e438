import Testing

@Suite("Whatever the compiler cannot check has a reason beside it")
struct ReasonTests {
    /// Constructs that bypass the compiler's or the reader's checks.
    private static let escapes = [
        " try?", "@unchecked Sendable", "nonisolated(unsafe)", "assumeIsolated", "unsafeBitCast",
        "fatalError(",
    ]

    @Test("each try?, unchecked Sendable and the like has a comment")
    func reasons() throws {
        let checkout = try Checkout.here.get()
        let findings = try checkout.written(below: "Sources/", suffix: ".swift")
            .flatMap { Self.unexplained(in: try SwiftSource($0, in: checkout)) }
        expectNone(findings)
    }

    @Test("no catch block is empty")
    func emptyCatch() throws {
        let checkout = try Checkout.here.get()
        for path in checkout.written(below: "Sources/", suffix: ".swift") {
            let source = try SwiftSource(path, in: checkout)
            let text = source.code.joined(separator: " ").split(separator: " ").joined(
                separator: " ")
            #expect(!text.contains("catch { }") && !text.contains("catch {}"), "\(path)")
        }
    }

    @Test("a construct without a comment is found, one with a comment is not")
    func twin() {
        let text = """
            let a = try? b()

            // The file may not be there yet.
            let c = try? d()
            let e = try? f()

            let g = try? h()  // Best effort.

            guard let i = try? j() else { throw Ours.k }
            """
        #expect(Self.unexplained(in: SwiftSource(path: "x", text: text)).map(\.line) == [1])
    }

    private static func unexplained(in source: SwiftSource) -> [Finding] {
        source.code.enumerated().flatMap { index, line in
            escapes.filter {
                line.contains($0) && !source.isCommented(line: index)
                    && !($0 == " try?" && throwsInstead(source.code[index...]))
            }
            .map {
                Finding(path: source.path, line: index + 1, complaint: "\($0) without a reason")
            }
        }
    }

    /// An error that is replaced by another within three lines needs no further reason.
    private static func throwsInstead(_ code: ArraySlice<Substring>) -> Bool {
        code.prefix(3).contains { $0.contains("throw ") }
    }
}
