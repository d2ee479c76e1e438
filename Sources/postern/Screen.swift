import ArgumentParser
import Dispatch
import Glibc
import JSON

/// The tool's output to the terminal. All text passes `printable` here, since much of it is what
/// services and other people wrote; escapes that the tool itself sends do not pass here.
enum Screen {
    /// Prints one line and flushes it, since the output may be a pipe.
    static func line(_ text: String) {
        print(text.printable)
        _ = flush()  // a closed output does not stop the command
    }

    /// Prints one line of many, for a command that runs as long as its output is read.
    /// - Throws: as `failure` says.
    static func item(_ text: String) throws {
        print(text.printable)
        if let reason = flush() { throw failure(reason) }
    }

    /// The error of an output that cannot be written. A reader that has closed it, as `head` does,
    /// has all that it wanted: the command ends silently then, with the exit code of a process that
    /// SIGPIPE ends. The network library ignores that signal.
    /// - Parameter reason: the `errno`.
    static func failure(_ reason: Int32) -> any Error {
        reason == EPIPE ? ExitCode(128 + SIGPIPE) : ToolError.system("standard output", reason)
    }

    /// Prints one line on standard error, for errors that are not part of the result.
    static func error(_ text: String) {
        let bytes = Array("\(text.printable)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)  // a failure does not matter, as for `line`
    }

    /// Says on standard error that a list ends at its limit. A script must not take it for all.
    static func sayMore(than limit: Int) {
        error("--limit \(limit) is reached: there may be more")
    }

    /// - Returns: nil if everything was written, otherwise the `errno`.
    private static func flush() -> Int32? { fflush(nil) == 0 ? nil : errno }
}

extension String {
    /// The text with each character that changes how a terminal shows the rest, except tab and line
    /// feed, replaced by U+FFFD.
    ///
    /// Attack: a name or a message contains escape sequences, and the operator's terminal obeys
    /// them.
    var printable: String { replacingControls { $0 != "\n" && $0 != "\t" } }

    /// The same for a text of one line: tab and line feed are replaced too.
    ///
    /// Attack: a message contains a line feed and what looks like further rows of the result.
    var printableLine: String { replacingControls { _ in true } }

    private func replacingControls(where isReplaced: (Unicode.Scalar) -> Bool) -> String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar -> Unicode.Scalar in
                    JSONText.changesDisplay(scalar) && isReplaced(scalar) ? "\u{FFFD}" : scalar
                }))
    }

    /// Padded to the width of a column, by one space at least.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}

/// An enum of a message whose values have a word in the tool's options and output.
protocol NamedValue: ExpressibleByArgument, Equatable {
    static var words: KeyValuePairs<Self, String> { get }
}

extension NamedValue {
    init?(argument: String) {
        guard let value = Self.words.first(where: { $0.value == argument })?.key else { return nil }
        self = value
    }

    static var allValueStrings: [String] { words.map(\.value) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    /// The value's word; `unknown` for a value that this tool does not know.
    var word: String { Self.words.first { $0.key == self }?.value ?? "unknown" }
}

/// Why the tool cannot run a command: a sentence that says what to do.
struct ToolError: Error, CustomStringConvertible {
    let description: String

    /// - Parameter description: may have what others wrote, such as the text of a backup.
    init(_ description: String) { self.description = description.printable }

    /// A system call has failed.
    /// - Parameters:
    ///   - what: the file or the call.
    ///   - reason: its `errno`.
    static func system(_ what: String, _ reason: Int32) -> ToolError {
        ToolError("\(what): \(String(cString: strerror(reason)))")
    }
}

/// Ctrl-C, or another signal, for a command that has to cancel something first.
enum Interruption {
    /// Runs `body`; the first signal cancels it, and a second Ctrl-C ends the tool as usual.
    /// Another second signal does not: `timeout`, and a terminal that closes, send theirs twice at
    /// once.
    /// - Parameter signals: the signals that do this.
    static func cancels(
        on signals: [Int32] = [SIGINT], _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        // Before the work begins: a signal that comes at once must not end the tool.
        for number in signals { signal(number, SIG_IGN) }
        let work = Task { try await body() }
        let sources = signals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                if number == SIGINT { signal(number, SIG_DFL) }
                work.cancel()
            }
            source.resume()
            return source
        }
        defer {
            sources.forEach { $0.cancel() }
            for number in signals { signal(number, SIG_DFL) }
        }
        try await work.value
    }
}
