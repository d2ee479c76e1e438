import ArgumentParser
import Glibc

/// The option of every command whose effect cannot be undone: it asks first.
struct ConfirmationOption: ParsableArguments {
    @Flag(help: "Do not ask first. Required without a terminal.")
    var yes = false

    /// Asks, unless `--yes` is given.
    /// - Parameters:
    ///   - effect: what happens and cannot be undone, a clause without a full stop.
    ///   - answer: asks on the terminal and returns the typed line; nil at the end of the input.
    /// - Throws: `ToolError` without a terminal, and unless the answer is yes: nothing was changed.
    func confirm(
        _ effect: String, isOnTerminal: Bool = isatty(STDIN_FILENO) == 1,
        answer: (String) -> String? = Self.ask
    ) throws {
        guard !yes else { return }
        guard isOnTerminal else {
            throw ToolError(
                "\(effect); this cannot be undone. Nothing was changed: there is no terminal to "
                    + "ask on, so add --yes if you mean it")
        }
        let typed = answer("\(effect); this cannot be undone. Continue? [y/N] ")
        guard ["y", "yes"].contains(typed?.lowercased() ?? "") else {
            throw ToolError("nothing was changed")
        }
    }

    /// Asks on standard error, so that the result on standard output stays clean.
    private static func ask(_ question: String) -> String? {
        let bytes = Array(question.printable.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)  // without a question the answer is no
        return readLine()
    }
}
