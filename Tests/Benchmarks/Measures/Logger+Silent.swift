import Logging

extension Logger {
    /// Says nothing: what is measured here is not the log.
    static var silent: Logger {
        Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
    }
}
