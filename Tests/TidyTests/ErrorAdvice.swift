/// What the pages for apps say to do about an error. The lists of `errors.md` are about every call;
/// another one is about the calls of the line above it, such as "`Auth/SignOut` fails with:".
struct ErrorAdvice: Hashable {
    /// The page.
    let path: String
    /// The error's code.
    let code: String
    /// The calls that have it, each as `Service/Method`; none for every call.
    let calls: [String]

    /// That of all pages.
    static func all() throws -> [ErrorAdvice] {
        let checkout = try Checkout.here.get()
        return try checkout.written(below: "Protos/postern/gateway/", suffix: ".md")
            .flatMap { entries(of: try checkout.text(of: $0), path: $0) }
    }

    /// That of one page.
    static func entries(of text: String, path: String) -> [ErrorAdvice] {
        let isGeneral = path.hasSuffix("/errors.md")
        var entries: [ErrorAdvice] = []
        // Those of the list that is read; nil outside of one about errors.
        var calls: [String]? = isGeneral ? [] : nil
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasSuffix(" with:") {
                calls = quoted(line).filter { $0.contains("/") }
            } else if line.hasPrefix("- ") {
                guard let calls else { continue }
                let head = line[..<(line.firstRange(of: ": ")?.lowerBound ?? line.endIndex)]
                entries += quoted(head).filter { $0.hasPrefix("auth/") }
                    .map { ErrorAdvice(path: path, code: $0, calls: calls) }
            } else if !isGeneral, !line.isEmpty, !line.hasPrefix("  ") {
                calls = nil
            }
        }
        return entries
    }

    /// The words between backticks.
    private static func quoted(_ text: Substring) -> [String] {
        // Every second piece is between two of them.
        let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: pieces.count, by: 2).map { String(pieces[$0]) }
    }
}
