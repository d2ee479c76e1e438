package import Logging

extension Logger {
    /// Writes one event.
    ///
    /// The message is a constant of the program (`StaticString`), so that what comes from outside
    /// can only be a field's value, and lines can be counted by their message.
    package func event(
        _ level: Logger.Level, _ message: StaticString,
        _ fields: @autoclosure () -> [LogField: LogValue] = [:]
    ) {
        guard logLevel <= level else { return }
        log(
            level: level, Logger.Message(stringLiteral: message.description),
            metadata: LogField.metadata(fields()))
    }

    /// Something that only a developer looks for.
    package func debug(
        _ message: StaticString, fields: @autoclosure () -> [LogField: LogValue]
    ) {
        event(.debug, message, fields())
    }

    /// Something an operator may want to know.
    package func info(_ message: StaticString, fields: @autoclosure () -> [LogField: LogValue]) {
        event(.info, message, fields())
    }

    /// Something that was handled, and that an operator should look at in the morning.
    package func warning(
        _ message: StaticString, fields: @autoclosure () -> [LogField: LogValue]
    ) {
        event(.warning, message, fields())
    }

    /// Something that failed and needs an operator.
    package func error(_ message: StaticString, fields: @autoclosure () -> [LogField: LogValue]) {
        event(.error, message, fields())
    }

    /// The same logger with these fields on each of its lines.
    package func with(_ fields: [LogField: LogValue]) -> Logger {
        var logger = self
        for (name, value) in LogField.metadata(fields) { logger[metadataKey: name] = value }
        return logger
    }
}
