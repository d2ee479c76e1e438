import Testing

@Suite("Tests open stores in one place")
struct StoreOpeningTests {
    @Test("only TestStore opens stores, so that one change there tests another engine")
    func openings() throws {
        let checkout = try Checkout.here.get()
        let findings = try checkout.written(below: "Tests/", suffix: ".swift")
            .filter { $0 != "Tests/Support/TestSupport/Stores/TestStore.swift" }
            .flatMap { Self.findings(in: try SwiftSource($0, in: checkout)) }
        expectNone(findings)
    }

    @Test(
        "each way of writing it is found",
        arguments: ["try Store(", "Store.init(folder: f)", "Storage.Store(folder: f)"])
    func found(code: String) {
        #expect(Self.findings(in: SwiftSource(path: "x", text: code)).count == 1)
    }

    @Test(
        "longer names and comments are not taken for it",
        arguments: [
            "CrowdedStore(a)", "untilStore(b)", "func store(", "// Store(", "Store.Limits(",
        ])
    func passed(code: String) {
        #expect(Self.findings(in: SwiftSource(path: "x", text: code)).isEmpty)
    }

    private static func findings(in source: SwiftSource) -> [Finding] {
        source.lineIndices(containing: "Store(", "Store.init(")
            .filter { source.code[$0].contains(/\bStore(\.init)?\(/.wordBoundaryKind(.simple)) }
            .map {
                Finding(path: source.path, line: $0 + 1, complaint: "open it with TestStore.open")
            }
    }
}
