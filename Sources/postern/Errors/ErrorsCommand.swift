import ArgumentParser
import JSON
import RPC
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

            Example: postern errors --language de --output json
            """)

    @Option(help: "Language of the messages: en, de, es, fr or ja; formal: de-formal, es-formal.")
    var language = "en"

    @Flag(help: "The same as --output json.")
    var json = false

    @OptionGroup var output: OutputOption

    func validate() throws {
        guard Voice(tag: language) != nil else {
            let known = Voice.allCases.map(\.tag).joined(separator: ", ")
            throw ValidationError("--language is one of \(known)")
        }
    }

    func run() throws {
        let voice = Voice(tag: language) ?? .english
        let codes = ErrorCode.allCases
        guard json || output.isJSON else {
            return try Self.lines(codes, voice).forEach(Screen.item)
        }
        var writer = RowWriter(.json)
        try writer.write(codes.map { Self.row($0, voice) })
        try writer.finish()
    }

    /// A line for each code, with its sentence below.
    static func lines(_ codes: [ErrorCode], _ voice: Voice) -> [String] {
        codes.flatMap { code in
            let entry = code.entry
            let retry = entry.isRetryable ? ", may be tried again" : ""
            return [
                "\(code.rawValue)  \(entry.status.name)\(retry), next: \(entry.next.rawValue)",
                "    \(code.sentence(in: voice))",
            ]
        }
    }

    /// A code in JSON.
    static func row(_ code: ErrorCode, _ voice: Voice) -> Row {
        Row([
            .init("code", code.rawValue), .init("status", code.entry.status.name),
            .init(json: "retryable", .boolean(code.entry.isRetryable)),
            .init("action", code.entry.next.rawValue),
            .init("userMessage", code.sentence(in: voice)),
        ])
    }
}
