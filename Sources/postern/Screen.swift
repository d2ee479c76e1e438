/// What the tool says to a person.
enum Screen {
    /// One line, at once: the reader may be a pipe.
    static func line(_ text: String) {
        print(text)
        flush()
    }

    private static func flush() {
        fflushAll()
    }
}
