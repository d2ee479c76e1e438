package import ServiceRuntime

/// Settings of templates: the operator's folder, and the language for readers whose own is not
/// known.
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
        operators = folder.map { OperatorTemplates(folder: $0) } ?? .none
        do throws(TemplateFaults) {
            live = Reloadable(try TemplateCatalogue(operators, default: standard))
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
