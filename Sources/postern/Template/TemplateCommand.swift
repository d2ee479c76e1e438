import ArgumentParser
import NotificationService

/// `postern template`: what messages say, and how to word them yourself. Needs no running service.
struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "Shows and checks the words of mails, texts and push messages.",
        discussion: """
            To word something yourself: make a folder, put a file into it, check, and name the \
            folder in the setting template-folder. It is read again whenever a file changes.

              postern template list
              postern template show verify-email.de.mail > words/verify-email.de.mail
              postern template preview verify-email --language de --folder words --open
              postern template check words

            Files are named NAME.LANGUAGE.KIND: mail (words of both parts), html (markup in place \
            of what the words make), sms, push; footer.LANGUAGE.text and layout.html are in every \
            mail.
            """,
        subcommands: [
            TemplateListCommand.self, TemplateShowCommand.self, TemplatePreviewCommand.self,
            TemplateCheckCommand.self,
        ])
}

/// `postern template list`: every template, with what may stand in it.
struct TemplateListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists templates, their lanes and variables.")

    func run() {
        for row in TemplateListing.rows {
            let variables = (["product"] + row.variables.map(\.rawValue)).joined(separator: " ")
            let name = row.name.padded(to: 26) + row.kind.padded(to: 6)
            Screen.line(name + "\(row.lane)".padded(to: 10) + variables)
        }
        let languages = Language.allCases.map(\.rawValue).joined(separator: " ")
        Screen.line("languages: \(languages)")
    }
}

/// `postern template show`: the words that the program has, to begin from.
struct TemplateShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints our words for one file.")

    @Argument(help: "The file: NAME.LANGUAGE.KIND, or layout.html.")
    var file: String

    func run() throws {
        do {
            Screen.line(try TemplateListing.ours(file).trimmingOneNewline)
        } catch {
            throw ToolError.badInput(error.description)
        }
    }
}

/// `postern template check`: reads a folder as the notification service would.
struct TemplateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Checks a folder of your own words.")

    @Argument(help: "The folder.")
    var folder: String

    func run() throws {
        _ = try TemplateCatalogue.checked(folder)
        Screen.line("\(folder) can be used")
    }
}

extension TemplateCatalogue {
    /// Our words with those of a folder in their place.
    /// - Throws: `ToolError.badInput` with all faults.
    static func checked(_ folder: String?) throws -> TemplateCatalogue {
        guard let folder else { return .embedded }
        do {
            return try TemplateCatalogue(OperatorTemplates(folder: folder))
        } catch {
            throw ToolError.badInput(error.description)
        }
    }
}

extension String {
    /// With spaces behind it, for a column.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }

    /// A line's own end comes from the screen.
    fileprivate var trimmingOneNewline: String {
        last?.isNewline == true ? String(dropLast()) : self
    }
}
