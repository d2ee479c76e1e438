import Testing

@Suite("The callers of each server")
struct CallerListTests {
    private static let folders = "Sources/postern/Applications/KeyFolders.swift"

    @Test("a server's own list of callers names those for which `postern up` makes keys")
    func same() throws {
        let checkout = try Checkout.here.get()
        let made = Dictionary(
            uniqueKeysWithValues: try checkout.text(of: Self.folders)
                .matches(of: /"([a-z-]+)": (\[[^\]]+\])/).map { (String($0.1), String($0.2)) })
        var expected: [String: String] = [:]
        for path in checkout.written(below: "Sources/postern-", suffix: "Program.swift") {
            let text = try checkout.text(of: path)
            let name = try #require(text.firstMatch(of: /application: "([a-z-]+)"/)?.1)
            let callers = try #require(text.firstMatch(of: /callers: (\[[^\]]*\])/)?.1)
            // The web service has no server of its own for calls.
            if callers != "[]" { expected[String(name)] = String(callers) }
        }
        #expect(expected.count == 5)
        #expect(made == expected)
    }
}
