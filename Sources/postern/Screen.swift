import Glibc

/// The tool's output to the terminal.
enum Screen {
    /// Prints one line and flushes it, since the output may be a pipe.
    static func line(_ text: String) {
        print(text)
        _ = flush()  // a closed output does not stop the command
    }

    /// Prints one line of many, for a command that runs as long as its output is read.
    /// - Throws: `ToolError.noReader` if the output is closed: the network library ignores SIGPIPE,
    ///   which would otherwise end the process.
    static func item(_ text: String) throws {
        print(text)
        guard flush() else { throw ToolError.noReader }
    }

    /// Prints one line on standard error, for errors that are not part of the result.
    static func error(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)  // a failure does not matter, as for `line`
    }

    /// - Returns: whether everything was written.
    private static func flush() -> Bool { fflush(nil) == 0 }
}

extension String {
    /// Padded to the width of a column, by one space at least.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
