import ArgumentParser
import ServiceRuntime

/// `postern errors`: the catalogue, for whoever writes the screens.
struct ErrorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "errors",
        abstract: "Shows every error that a caller can see.",
        discussion: """
            For each code: the gRPC status, whether the same call may work later, what a screen \
            should offer next, and the sentence that people read. A call whose metadata has \
            accept-language is answered with the sentence in that language.

            Example: postern errors --language de --json
            """)

    @Option(help: "Of the sentences: en, de, es, fr or ja.")
    var language = "en"

    @Flag(help: "As JSON: a list with an object for each code.")
    var json = false

    func validate() throws {
        guard ErrorLanguage(tag: language) != nil else {
            let known = ErrorLanguage.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--language is one of \(known)")
        }
    }

    func run() throws {
        let language = ErrorLanguage(tag: language) ?? .english
        let codes = ErrorCode.allCases
        try (json ? ErrorList.json(codes, language) : ErrorList.lines(codes, language))
            .forEach(Screen.item)
    }
}
