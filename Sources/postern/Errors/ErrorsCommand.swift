import ArgumentParser
import ServiceRuntime

/// `postern errors`: the error catalogue, for developers of user interfaces.
struct ErrorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "errors",
        abstract: "Lists every error that a caller can receive.",
        discussion: """
            For each code: the gRPC status, whether the same call may succeed later, what the app \
            should offer next, and the message for users. The message is in the language of the \
            call's metadata accept-language.

            Example: postern errors --language de --json
            """)

    @Option(help: "Language of the messages: en, de, es, fr or ja.")
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
