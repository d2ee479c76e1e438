import Foundation
import Testing

/// A block of shell lines of a page, and the JSON that the page prints below it.
struct PageExample: Sendable {
    /// The lines to run.
    let shell: String
    /// The answer that the page shows; nil if it shows none.
    private(set) var printed: String?

    /// Members whose values differ from one run to the next: ids, tokens, times and keys.
    private static let varyingEndings = ["Id", "Token", "Ms", "once"]
    private static let varying: Set = [
        "sub", "sid", "jti", "iat", "exp", "auth_time", "kid", "x", "y", "challenge", "userHandle",
    ]

    /// The blocks of shell lines of a page, in its order. A block of JSON directly after one is its
    /// answer.
    static func all(of path: String) throws -> [PageExample] {
        let page = try String(contentsOfFile: path, encoding: .utf8)
        var examples: [PageExample] = []
        var isAfterShell = false
        // Every second part is between two fences.
        for (index, part) in page.components(separatedBy: "```").enumerated() where index % 2 == 1 {
            if part.hasPrefix("sh\n") {
                examples.append(PageExample(shell: String(part.dropFirst(3))))
            } else if part.hasPrefix("json\n"), isAfterShell, let last = examples.indices.last {
                examples[last].printed = String(part.dropFirst(5))
            }
            isAfterShell = part.hasPrefix("sh\n")
        }
        return examples
    }

    /// Expects an answer to have the members of the printed one, and its values except those that
    /// differ in each run.
    func expect(_ answer: String) throws {
        let printed = try #require(printed, "the page shows no answer to \(shell)")
        let differences = Self.differences(
            try Self.json(answer), try Self.json(printed), at: "")
        #expect(differences == [], "\(shell)")
    }

    private static func json(_ text: String) throws -> Any {
        do {
            return try JSONSerialization.jsonObject(with: Data(text.utf8))
        } catch {
            throw ClusterError(message: "no JSON: \(text)")
        }
    }

    /// What is not as printed, each with the path of its member.
    private static func differences(_ answer: Any, _ printed: Any, at path: String) -> [String] {
        switch (answer, printed) {
        case (let answer as [String: Any], let printed as [String: Any]):
            guard answer.keys.sorted() == printed.keys.sorted() else {
                return ["\(path): \(answer.keys.sorted()), not \(printed.keys.sorted())"]
            }
            return answer.flatMap { name, value in
                printed[name].map { differences(value, $0, at: "\(path).\(name)") } ?? []
            }
        case (let answer as [Any], let printed as [Any]):
            guard answer.count == printed.count else {
                return ["\(path): \(answer.count) elements, not \(printed.count)"]
            }
            return zip(answer, printed).enumerated().flatMap { index, pair in
                differences(pair.0, pair.1, at: "\(path)[\(index)]")
            }
        default:
            let name = String(path.split(separator: ".").last ?? "")
            let isVarying =
                varying.contains(name) || varyingEndings.contains { name.hasSuffix($0) }
            let isSame =
                isVarying
                ? (answer is String) == (printed is String) : "\(answer)" == "\(printed)"
            return isSame ? [] : ["\(path): \(answer), not \(printed)"]
        }
    }
}
