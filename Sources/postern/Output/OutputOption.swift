import ArgumentParser
import Glibc
import JSON
import ServiceRuntime

/// The option of every command that reads: the form in which its result is printed.
struct OutputOption: ParsableArguments {
    /// A form that can be asked for.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case text
        case json
    }

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: """
            text, with headings on lists, or json. Default: text on a terminal; in a pipe or file \
            text without headings, for scripts.
            """)
    var output: Form?

    /// Whether the result is printed as JSON.
    var isJSON: Bool { output == .json }

    /// Prints the rows of a list, in pages if there are many.
    var writer: RowWriter {
        RowWriter(Self.form(output, isOnTerminal: isatty(STDOUT_FILENO) == 1))
    }

    static func form(_ output: Form?, isOnTerminal: Bool) -> RowWriter.Form {
        switch output {
        case .json: .json
        case .text: .table
        case nil: isOnTerminal ? .table : .lines
        }
    }

    /// Prints a whole list.
    func show(_ rows: [Row]) throws {
        var writer = writer
        try writer.write(rows)
        try writer.finish()
    }

    /// Prints one object.
    /// - Parameter text: its lines if it is not printed as JSON.
    func show(_ json: JSONValue, text: [String]) throws {
        guard !isJSON else { return try Screen.item(JSONWriter.text(json, .shown, pretty: true)) }
        try text.forEach { try Screen.item($0.printableLine) }
    }
}

extension JSONValue {
    /// A moment as in text, `2026-01-31T09:05:00.250Z`; null for 0, which stands for none.
    static func moment(_ milliseconds: Int64) -> JSONValue {
        milliseconds == 0 ? .null : .string(Timestamp(milliseconds: milliseconds).text)
    }
}
