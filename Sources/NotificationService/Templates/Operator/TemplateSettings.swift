package import RPC
package import ServiceRuntime

/// What an operator can set of templates: a folder of their own, and a language for readers whose
/// own is not known.
package struct TemplateSettings: Settings {
    /// Broadcaster while the program runs.
    package let folder: String?
    /// What was in it at the start.
    package let operators: OperatorTemplates
    /// All templates, checked; exchanged whole when the folder changes.
    package let live: Live<TemplateCatalogue>

    package init(reading settings: inout SettingsReader) {
        folder = settings.optionalPath(
            "template-folder",
            reason: "Words of your own; read again when they change (postern template check).")
        let standard: Language = settings.choice(
            "template-language", default: .english,
            reason: "For people whose language is not known, or none that we write.")
        operators = folder.map { OperatorTemplates(folder: $0) } ?? .none
        do throws(TemplateFaults) {
            live = Live(try TemplateCatalogue(operators, default: standard))
        } catch {
            for fault in error.faults {
                settings.require(false, ["template-folder"], fault.description)
            }
            live = Live(.embedded)
        }
    }
}

extension TemplateCatalogue {
    /// Ours alone.
    package static let embedded: TemplateCatalogue = {
        do throws(TemplateFaults) {
            return try TemplateCatalogue()
        } catch {
            preconditionFailure("our own templates are checked by tests: \(error)")
        }
    }()
}
