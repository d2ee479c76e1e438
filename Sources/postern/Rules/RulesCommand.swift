import ArgumentParser
import JSON
import PersonalData

/// `postern rules`: the operator's file of rules for documents and onboarding. Needs no running
/// service.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Checks and shows rules of documents and onboarding.",
        discussion: """
            The file is YAML or JSON; set the setting rules-file of postern-identity to it. It is \
            reloaded when it changes. Its format, and an example: docker/rules.example.yaml.

              collections:
                profile:
                  fields:
                    name: {type: text, required: true, length: [1, 80], display-name: true}
                    age: {type: integer, range: [18, 120], reason: You must be at least 18.}
              onboarding:
                sections:
                  - name: get-started
                    screens:
                      - name: basic-info
                        fields:
                          name: {to: profile.name}
                          age: {to: profile.age}
            """,
        subcommands: [Check.self, Show.self])

    /// `postern rules check FILE`: all mistakes at once, as the identity service reports them.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a file: prints all its mistakes, or what it declares.")

        @Argument(help: "The file: .yaml, .yml or .json.")
        var file: String

        func run() throws {
            Screen.line("\(file) can be used: \(try RulesCommand.rules(file).summary)")
        }
    }

    /// `postern rules show FILE`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the collections, fields and screens of a file.",
            discussion: """
                Fields of screens are shown with the rules that they take over from the field that \
                they are written to.
                """)

        @Argument(help: "The file: .yaml, .yml or .json.")
        var file: String

        @OptionGroup var output: OutputOption

        func run() throws {
            let rules = try RulesCommand.rules(file)
            guard !output.isJSON else { return try output.show(rules.json, text: []) }
            try output.show(rules.collections.flatMap(\.rows))
            guard let onboarding = rules.onboarding else { return }
            Screen.line("")
            try output.show(onboarding.sections.flatMap(\.rows))
        }
    }

    /// The rules of a file.
    /// - Throws: `ToolError` with its mistakes, one on each line.
    static func rules(_ file: String) throws(ToolError) -> DocumentRules {
        let document = RulesDocument(path: file)
        guard let rules = document.rules else {
            throw ToolError(document.problems.joined(separator: "\n"))
        }
        return rules
    }
}
