import JSON
import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

/// Rules files of tests.
enum RulesText {
    /// A file with this text, read.
    static func document(_ text: String, name: String = "rules.yaml") throws -> RulesDocument {
        let folder = try TemporaryFolder()
        return RulesDocument(path: try folder.write(text, to: name))
    }

    /// The rules of a file without mistakes.
    static func rules(_ text: String) throws -> DocumentRules {
        let document = try document(text)
        return try #require(document.rules, "\(document.problems)")
    }

    /// A collection named `profile` with these lines below it.
    static func profile(_ text: String) throws -> CollectionRules {
        let lines = text.split(separator: "\n").map { "    \($0)\n" }.joined()
        let rules = try rules("collections:\n  profile:\n" + lines)
        return try #require(rules.collection("profile"))
    }

    /// The mistakes of a file, without its path.
    static func mistakes(_ text: String, name: String = "rules.yaml") throws -> [String] {
        try document(text, name: name).problems.map { problem in
            problem.split(separator: name, maxSplits: 1).last.map {
                String($0.drop { $0 == " " })
            } ?? problem
        }
    }
}

extension JSONObject {
    /// The object of a text.
    init(text: String) throws {
        self = try #require(
            JSONReader.object(in: Array(text.utf8), depthMax: 16, membersMax: 1_000))
    }
}

extension CollectionRules {
    /// The violations of a document as `field rule`, after the defaults.
    func broken(
        _ document: String, replacing former: String? = nil, by writer: DocumentWriter = .owner
    ) throws -> [String] {
        let former = try former.map { try JSONObject(text: $0) }
        let filled = filled(try JSONObject(text: document), replacing: former, by: writer)
        return violations(of: filled, replacing: former, by: writer, voice: .english)
            .map { "\($0.field) \($0.rule)" }
    }
}
