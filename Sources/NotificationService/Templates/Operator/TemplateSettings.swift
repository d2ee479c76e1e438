import Logging
import RPC
package import ServiceRuntime

extension TemplateSettings {
    /// The operator's template folder (N-05), to be read again while the program runs; nil if there
    /// is none.
    func followedFolder(_ logger: Logger) -> FollowedFiles<OperatorTemplates>? {
        guard let folder else { return nil }
        let live = live
        return FollowedFiles(
            folder, setting: "template-folder", current: operators,
            log: .init(
                logger, reloaded: ("notification.templates.reloaded", "templates reloaded"),
                failed: (
                    "notification.templates.reload.failed",
                    "reloading templates failed; the previous ones stay in force"
                )),
            read: { OperatorTemplates(folder: folder) },
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
        var standard = Language.english
        settings.choice(
            "template-language", &standard,
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
