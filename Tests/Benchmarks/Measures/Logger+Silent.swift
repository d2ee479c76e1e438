import Logging

extension Logger {
    /// Discards everything: logging is not measured here.
    static var silent: Logger {
        Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
    }
}
