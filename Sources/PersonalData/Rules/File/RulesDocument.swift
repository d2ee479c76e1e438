import ServiceRuntime

/// The operator's rules file, read completely: the rules, or all its mistakes at once.
/// `docker/rules.example.yaml` has the format.
package struct RulesDocument: Equatable, Sendable {
    /// The rules. Nil where the file has mistakes.
    package let rules: DocumentRules?
    /// The mistakes, each with its place.
    package let problems: [String]

    /// Limits of a file: it has a few pages, and each check of a document takes time for each rule.
    enum Limits {
        static let bytesMax = 256 * 1_024
        static let collectionsMax = 50
        /// Of a collection, an object, or a screen.
        static let fieldsMax = 200
        static let sectionsMax = 20
        /// Of a section.
        static let screensMax = 50
        static let choicesMax = 256
        static let nameBytesMax = 64
        static let reasonBytesMax = 500
        /// The longest list or text that a rule can ask for: no document is longer, in bytes.
        static let lengthMax = 64 * 1_024
    }

    /// Reads the file at `path`, as JSON or YAML by its name.
    package init(path: String) {
        let tree = FileTree(path: path, bytesMax: Limits.bytesMax)
        var reader = RulesReader()
        let rules = tree.root.map { reader.rules($0) }
        problems = tree.problems + reader.mistakes
        self.rules = problems.isEmpty ? rules : nil
    }
}
