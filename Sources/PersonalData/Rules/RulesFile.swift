package import Logging
package import ServiceRuntime

/// Watches the operator's rules file.
package struct RulesFile: Sendable {
    /// The rules in force.
    package let rules: Reloadable<DocumentRules>
    /// The file, to be read again.
    package let files: FollowedFiles<RulesDocument>

    /// Watches the file at `path`.
    /// - Parameter current: The file as it was read for the settings.
    package init(path: String, current: RulesDocument, logger: Logger) {
        let rules = Reloadable(current.rules ?? .standard)
        self.rules = rules
        files = FollowedFiles(
            path, setting: "rules-file", current: current,
            log: .init(
                logger, reloaded: ("rules.file.reloaded", "rules file reloaded"),
                failed: (
                    "rules.file.reload.failed",
                    "reloading the rules file failed; the previous rules stay in force"
                )),
            read: { RulesDocument(path: path) },
            use: { document in
                if let values = document.rules { rules.replace(values) }
                return document.problems
            })
    }
}

/// The operator's setting for the rules of documents and onboarding.
package struct RulesSettings: Settings {
    /// The rules file and what it contained.
    package struct File: Sendable {
        /// Where it is.
        package let path: String
        /// What it contained.
        package let document: RulesDocument
    }

    /// No file: the built-in collections with any fields, and no onboarding.
    package static let none = RulesSettings(path: nil)

    /// The rules file; nil for none.
    package let file: File?

    /// Settings for tests and embedding: the rules of a file that has no mistakes.
    package init(path: String?) {
        file = path.map { File(path: $0, document: RulesDocument(path: $0)) }
    }

    /// Declares the setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        self.init(
            path: settings.optionalPath(
                "rules-file",
                reason: "Rules of documents and onboarding, .yaml or .json; reloaded when it "
                    + "changes (I-07, G-18). Check it with: postern rules check."))
        for problem in file?.document.problems ?? [] {
            settings.require(false, ["rules-file"], problem)
        }
    }
}
