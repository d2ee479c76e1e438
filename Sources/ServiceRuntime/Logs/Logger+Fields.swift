package import Logging

extension Logger {
    /// Writes one event.
    ///
    /// Code and message are constants of the program (`StaticString`), so that values from outside
    /// can only be fields.
    /// - Parameters:
    ///   - code: Names the event for alerts and searches, for example `session.refresh.replayed`.
    ///     It stays the same when the message changes.
    ///   - message: A sentence for the operator.
    package func event(
        _ level: Logger.Level, _ code: StaticString, _ message: StaticString,
        _ fields: @autoclosure () -> [LogField: LogValue] = [:]
    ) {
        guard logLevel <= level else { return }
        var metadata = LogField.metadata(fields())
        metadata[JSONLogHandler.eventKey] = .string(code.description)
        log(
            level: level, Logger.Message(stringLiteral: message.description), metadata: metadata)
    }

    /// Writes an event for developers.
    package func debug(
        _ code: StaticString, _ message: StaticString,
        fields: @autoclosure () -> [LogField: LogValue] = [:]
    ) {
        event(.debug, code, message, fields())
    }

    /// Writes an event for the operator's information.
    package func info(
        _ code: StaticString, _ message: StaticString,
        fields: @autoclosure () -> [LogField: LogValue] = [:]
    ) {
        event(.info, code, message, fields())
    }

    /// Writes an event that was handled but that an operator should look at within a day.
    package func warning(
        _ code: StaticString, _ message: StaticString,
        fields: @autoclosure () -> [LogField: LogValue] = [:]
    ) {
        event(.warning, code, message, fields())
    }

    /// Writes a failure on which an operator has to act.
    package func error(
        _ code: StaticString, _ message: StaticString,
        fields: @autoclosure () -> [LogField: LogValue] = [:]
    ) {
        event(.error, code, message, fields())
    }

    /// A logger that adds these fields to each of its lines.
    package func with(_ fields: [LogField: LogValue]) -> Logger {
        var logger = self
        for (name, value) in LogField.metadata(fields) { logger[metadataKey: name] = value }
        return logger
    }
}
