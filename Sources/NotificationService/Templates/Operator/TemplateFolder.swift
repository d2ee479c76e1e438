package import Logging
import RPC
package import ServiceRuntime

/// Watches an operator's template folder (N-05). A change takes effect a few seconds later, without
/// a restart. If the folder has an error, the previous templates remain in force and all errors are
/// logged together.
package struct TemplateFolder: Sendable {
    private let path: String
    private let files: FollowedFiles<OperatorTemplates>
    private let logger: Logger

    /// Watches the folder of `settings`; nil if there is none.
    package init?(_ settings: TemplateSettings, logger: Logger) {
        guard let path = settings.folder else { return nil }
        let live = settings.live
        self.path = path
        self.logger = logger
        files = FollowedFiles(
            current: settings.operators, read: { OperatorTemplates(folder: path) },
            use: { operators in
                do throws(TemplateFaults) {
                    live.replace(
                        try TemplateCatalogue(
                            operators, default: live.value.standard, formal: live.value.formal))
                    return []
                } catch {
                    return error.faults.map(\.description)
                }
            })
    }

    /// Runs until cancelled.
    package func run(_ time: any Time) async { await files.run(time, look) }

    /// Reads the folder once. A change takes effect when two readings in a row are equal.
    package func look() {
        switch files.look() {
        case .unchanged: return
        case .used:
            logger.info(
                "notification.templates.reloaded", "templates reloaded",
                fields: [.file: .text(path)])
        case .refused(let problems):
            logger.error(
                "notification.templates.reload.failed",
                "reloading templates failed; the previous ones stay in force",
                fields: [
                    .file: .text(path), .count: .count(problems.count),
                    .detail: .text(problems.joined(separator: "; ")),
                ])
        }
    }
}

/// Settings of templates: the operator's folder, the language for readers whose own is not known,
/// and which languages are formal.
package struct TemplateSettings: Settings {
    /// The operator's template folder, watched while the program runs; nil for none.
    package let folder: String?
    /// The folder's content at the start.
    package let operators: OperatorTemplates
    /// All templates, validated. Replaced as a whole when the folder changes.
    package let live: Reloadable<TemplateCatalogue>

    package init(reading settings: inout SettingsReader) {
        folder = settings.optionalPath(
            "template-folder",
            reason: "Your own templates; reloaded when they change (postern template check).")
        let standard: Language = settings.choice(
            "template-language", default: .english,
            reason: "For readers whose language is not known or not supported.")
        let formal = FormalLanguages(reading: &settings)
        operators = folder.map { OperatorTemplates(folder: $0) } ?? .none
        do throws(TemplateFaults) {
            live = Reloadable(
                try TemplateCatalogue(operators, default: standard, formal: formal))
        } catch {
            for fault in error.faults {
                settings.require(false, ["template-folder"], fault.description)
            }
            live = Reloadable(.embedded)
        }
    }
}

extension TemplateCatalogue {
    /// The built-in templates only.
    package static let embedded: TemplateCatalogue = {
        do throws(TemplateFaults) {
            return try TemplateCatalogue()
        } catch {
            preconditionFailure("the built-in templates are invalid: \(error)")
        }
    }()
}
