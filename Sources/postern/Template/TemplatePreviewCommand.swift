import ArgumentParser
import Glibc
import NotificationService

/// `postern template preview`: a page that shows a message with sample values.
struct TemplatePreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Writes a page that shows a message: text, phone and wide, light and dark.")

    @Argument(help: "The template's name, or \"all\".")
    var name: String

    @Option(help: "en, de, es, fr or ja; others fall back as for recipients.")
    var language = "en"

    @Option(help: "A folder of your own texts.")
    var folder: String?

    @Option(help: "The app's name.")
    var product = "Postern"

    @Option(help: "The file to write; default: NAME.LANGUAGE.html in this folder.")
    var output: String?

    @Flag(help: "Open the page in the browser.")
    var open = false

    func run() throws {
        guard let product = HeaderText(product) else {
            throw ToolError.badInput("the product's name is empty, too long, or not a single line")
        }
        let language = Language(for: language, default: .english)
        let preview = TemplatePreview(try TemplateCatalogue.checked(folder), product: product)
        guard let page = try preview.page(name, in: language) else {
            throw ToolError.badInput("there is no template \(name): postern template list")
        }
        let path = output ?? "\(name).\(language.rawValue).html"
        try TextFile.replace(path, with: page)
        Screen.line(path)
        if open { try Self.show(path) }
    }

    /// Opens a file with the desktop's program.
    private static func show(_ path: String) throws {
        let arguments: [String] = ["xdg-open", path]
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "xdg-open", nil, nil, &words, environ)
        guard result == 0 else { throw ToolError.system("xdg-open", result) }
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process, status == 0 else {
            throw ToolError.badInput("xdg-open could not open \(path)")
        }
    }
}
