import ArgumentParser
import Contracts
import JSON
import NotificationService
import ServiceRuntime

/// `postern template`: the texts of messages, and how to replace them. Needs no running service.
struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "Shows and checks the texts of mails, SMS and push messages.",
        discussion: """
            To replace a text: create a folder, put a file into it, check it, and set the setting \
            template-folder to the folder. It is reloaded whenever a file changes.

              postern template list
              postern template show verify-email.de.mail > words/verify-email.de.mail
              postern template preview verify-email --language de --folder words --open
              postern template check words

            Files are named NAME.LANGUAGE.KIND, or NAME.LANGUAGE-formal.KIND for the formal voice of \
            German and Spanish (setting formal-languages). The kinds: mail (text of both parts), html (markup that \
            replaces the generated one), sms, push; footer.LANGUAGE.text and layout.html are part \
            of every mail.
            """,
        subcommands: [List.self, Show.self, Preview.self, Check.self])

    /// `postern template list`: every template with its variables.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists templates, their priorities and variables.")

        @OptionGroup var output: OutputOption

        func run() throws {
            let rows = TemplateListing.rows.map { row in
                let variables = ["product"] + row.variables.map(\.rawValue)
                return Row([
                    .init("template", row.name), .init("kind", row.kind),
                    .init("priority", "\(row.lane)"),
                    .init(
                        "variables", .array(variables.map { .string($0) }),
                        text: variables.joined(separator: " ")),
                ])
            }
            try output.show(rows)
            guard !output.isJSON else { return }
            let languages = Language.allCases.map(\.rawValue).joined(separator: " ")
            let formal = Language.allCases.filter(\.hasFormalVoice).map(\.rawValue)
            Screen.line(
                "languages: \(languages); with a formal voice: \(formal.joined(separator: " "))")
        }
    }

    /// `postern template show`: prints the built-in text, as a start for one's own.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the built-in text of one file.")

        @Argument(help: "The file: NAME.LANGUAGE.KIND, or layout.html.")
        var file: String

        func run() throws {
            do {
                Screen.line(try TemplateListing.builtIn(file).trimmingOneNewline)
            } catch {
                throw ToolError(error.description)
            }
        }
    }

    /// `postern template check`: validates a folder like the notification service.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a folder of your own texts.")

        @Argument(help: "The folder.")
        var folder: String

        func run() throws {
            for formal in [FormalLanguages.none, .all] {
                _ = try TemplateCatalogue.checked(folder, formal)
            }
            Screen.line("\(folder) can be used")
        }
    }

    /// `postern template preview`: a page that shows a message with sample values.
    struct Preview: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes a page that shows a message: text, phone and wide, light and dark.")

        @Argument(help: "The template's name, or \"all\".")
        var name: String

        @Option(help: "en, de, es, fr or ja.")
        var language = "en"

        @Flag(help: "In the language's formal voice, if it has one.")
        var formal = false

        @Flag(help: "Also with every choice of values that are not always known.")
        var gaps = false

        @Option(help: "A folder of your own texts.")
        var folder: String?

        @Option(help: "The app's name.")
        var product = "Postern"

        @Option(help: "The file to write; default: NAME.LANGUAGE.html in this folder.")
        var output: String?

        @Flag(help: "Open the page in the browser.")
        var open = false

        func validate() throws {
            guard Language(tag: language) != nil else {
                let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--language is one of \(known)")
            }
        }

        func run() throws {
            guard let product = HeaderText(product) else {
                throw ToolError("the product's name is empty, too long, or not a single line")
            }
            let language = Language(for: language, default: .english)
            let preview = TemplatePreview(
                try TemplateCatalogue.checked(folder, formal ? .all : .none), product: product)
            guard let page = try preview.page(name, in: language, withGaps: gaps) else {
                throw ToolError("there is no template \(name): postern template list")
            }
            let path = output ?? "\(name).\(language.rawValue).html"
            try TextFile.replace(path, with: page)
            Screen.line(path)
            if open { try DesktopProgram.open(path) }
        }
    }
}

extension TemplateCatalogue {
    /// The built-in texts, replaced by those of a folder.
    /// - Throws: `ToolError` with all errors.
    static func checked(
        _ folder: String?, _ formal: FormalLanguages
    ) throws -> TemplateCatalogue {
        do {
            return try TemplateCatalogue(
                folder.map { OperatorTemplates(folder: $0) } ?? .none, formal: formal)
        } catch {
            throw ToolError(error.description)
        }
    }
}

extension String {
    /// Without its last line break, which `Screen.line` adds.
    fileprivate var trimmingOneNewline: String {
        last?.isNewline == true ? String(dropLast()) : self
    }
}
