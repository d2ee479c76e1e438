import Contracts
import Testing

@Suite("Names and `amr` of sign-in methods come from their types")
struct SignInMethodTests {
    /// Where the types declare them.
    private static let folder = "Sources/Contracts/SignInMethods/"
    /// Each value of `amr`, except those that are also common words of other things.
    private static let amr = Set(Authentication.allCases.flatMap(\.amr))
        .subtracting(["sms", "user", "totp", "recovery"])
    /// The names of methods. Fields, columns and texts have some of them too.
    private static let names = Set(
        (SignInMethod.builtIn + BuiltInProvider.allCases.map(\.method)).map(\.name))
    /// What precedes a name that means a method.
    private static let signs = ["==", "!=", "by:", "method:", "provider:", "case", "contains("]

    @Test("no other source has a value of `amr`, or compares or passes a method's name")
    func sources() throws {
        let checkout = try Checkout.here.get()
        let findings = try checkout.written(below: "Sources/", suffix: ".swift")
            .filter { !$0.hasPrefix(Self.folder) }
            .flatMap { Self.findings(in: try SwiftSource($0, in: checkout)) }
        expectNone(findings)
    }

    @Test(
        "each use of such a literal is found",
        arguments: [
            "guard method == \"password\" else", "filter { $0 != \"phone\" }",
            "record(account, by: \"password\", on: device)", "case \"google\": .google",
            "Proved(method: \"apple\")", "methods.contains(\"phone\")", "[\"otp\", \"pwd\"]",
            "let a = [\"x\": \"anon\"]",
        ])
    func found(code: String) {
        #expect(Self.findings(in: SwiftSource(path: "x", text: code)).count == 1)
    }

    @Test(
        "fields, columns, longer words and comments are not taken for it",
        arguments: [
            "fields: [\"password\"]", "field: \"password\"", "row.text(\"phone\")",
            "/// \"pwd\" or \"otp\"", "by: \"password-reset\"", "case sms: \"sms\"",
            "\"password\": .string(password)", "\"otp=30d/90d\"",
        ])
    func passed(code: String) {
        #expect(Self.findings(in: SwiftSource(path: "x", text: code)).isEmpty)
    }

    private static func findings(in source: SwiftSource) -> [Finding] {
        source.lines.indices.filter { isFound(in: source.lines[$0]) }.map {
            Finding(
                path: source.path, line: $0 + 1,
                complaint: "take it from SignInMethod, BuiltInProvider or Authentication")
        }
    }

    private static func isFound(in line: Substring) -> Bool {
        guard line.utf8.contains(UInt8(ascii: "\"")), !line.trimmed.hasPrefix("//") else {
            return false
        }
        // Each second part is a literal.
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).contains { place in
            let literal = String(parts[place])
            let before = parts[place - 1].trimmed
            return amr.contains(literal)
                || names.contains(literal) && signs.contains { before.hasSuffix($0) }
        }
    }
}
