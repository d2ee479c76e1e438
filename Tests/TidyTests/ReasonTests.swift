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
            #expect(Self.emptyCatches(in: try SwiftSource(path, in: checkout)) == [], "\(path)")
        }
    }

    @Test("a catch block with a comment only is empty, one that logs is not")
    func emptyCatchTwin() {
        let text = """
            do { try a() } catch {}
            do { try b() } catch
            {

                // Best effort.
            }
            do { try c() } catch {
                log()
            }
            """
        #expect(Self.emptyCatches(in: SwiftSource(path: "x", text: text)) == [1, 2])
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
        escapes.flatMap { escape in
            source.lineIndices(containing: escape).filter {
                !source.isCommented(line: $0)
                    && !(escape == " try?" && throwsInstead(source.code[$0...]))
            }
            .map {
                Finding(path: source.path, line: $0 + 1, complaint: "\(escape) without a reason")
            }
        }
    }

    /// The lines, counted from 1, of the `catch` blocks without code.
    private static func emptyCatches(in source: SwiftSource) -> [Int] {
        source.lineIndices(containing: "catch").filter { index in
            // `catch`, `{` and `}` are on three lines at most that have code.
            let next = source.code[index...].lazy.map(\.trimmed).filter { !$0.isEmpty }.prefix(3)
            return next.joined().filter { $0 != " " }.contains("catch{}")
        }
        .map { $0 + 1 }
    }

    /// An error that is replaced by another within three lines needs no further reason.
    private static func throwsInstead(_ code: ArraySlice<Substring>) -> Bool {
        code.prefix(3).contains { $0.contains("throw ") }
    }
}
