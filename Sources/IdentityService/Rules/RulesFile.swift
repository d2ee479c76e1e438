package import Logging
package import ServiceRuntime

/// The rules in force, and the operator's file that they come from. A change takes effect a few
/// seconds later, without a restart. A file with mistakes changes nothing: the previous rules stay
/// in force, and the log lists all mistakes once.
package struct RulesFile: Sendable {
    /// The rules in force.
    let rules: Reloadable<DocumentRules>

    private let path: String
    /// Nil without a file.
    private let files: FollowedFiles<RulesDocument>?
    private let logger: Logger

    /// The rules of the settings, and their file if there is one.
    init(settings: RulesSettings, logger: Logger) {
        let rules = Reloadable(settings.rules)
        let path = settings.path ?? ""
        self.rules = rules
        self.path = path
        self.logger = logger
        files = settings.document.map { document in
            FollowedFiles(
                current: document, read: { RulesDocument(path: path) },
                use: { document in
                    if let values = document.rules { rules.replace(values) }
                    return document.problems
                })
        }
    }

    /// Watches the file until cancelled; returns at once without a file.
    func run(_ time: any Time) async { await files?.run(time, look) }

    /// Reads the file once. A change takes effect when two readings in a row are equal.
    func look() {
        switch files?.look() {
        case nil, .unchanged: return
        case .used:
            logger.info(
                "rules.file.reloaded", "rules file reloaded", fields: [.file: .text(path)])
        case .refused(let problems):
            logger.error(
                "rules.file.reload.failed",
                "reloading the rules file failed; the previous rules stay in force",
                fields: [
                    .file: .text(path), .count: .count(problems.count),
                    .detail: .text(problems.joined(separator: "; ")),
                ])
        }
    }
}

/// The operator's setting for the rules of documents and onboarding.
package struct RulesSettings: Settings {
    /// No file: the built-in collections with any fields, and no onboarding.
    package static let none = RulesSettings(path: nil)

    /// The path of the rules file.
    let path: String?
    /// The file as it was read. Nil without one.
    let document: RulesDocument?

    /// Settings for tests and embedding: the rules of a file that has no mistakes.
    package init(path: String?) {
        self.path = path
        document = path.map { RulesDocument(path: $0) }
    }

    /// Declares the setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        self.init(
            path: settings.optionalPath(
                "rules-file",
                reason: "Rules of documents and onboarding, .yaml or .json; reloaded when it "
                    + "changes (I-07, G-18). Check it with: postern rules check."))
        for problem in document?.problems ?? [] {
            settings.require(false, ["rules-file"], problem)
        }
    }

    /// The rules at the start.
    var rules: DocumentRules { document?.rules ?? .standard }
}
