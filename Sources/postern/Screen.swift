import Glibc

/// What the tool says to a person.
enum Screen {
    /// One line, at once: the reader may be a pipe.
    static func line(_ text: String) {
        print(text)
        flush()
    }

    /// One line of many, for a command that goes on for as long as somebody reads.
    /// - Throws: `ToolError.noReader`: the sockets' library has turned off the signal that would
    ///   end us.
    static func item(_ text: String) throws {
        print(text)
        guard fflushAll() else { throw ToolError.noReader }
    }

    /// One line on standard error: what is wrong beside the answer.
    static func error(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)  // as for `line`
    }

    private static func flush() {
        _ = fflushAll()  // a line that nobody reads is no reason to stop
    }
}
