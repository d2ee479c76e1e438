package import Logging

/// Writes log events as lines of JSON:
/// `{"time":"2026-01-01T00:00:00.000Z","level":"info","service":"session","event":"…",…}`.
///
/// Fields that are not in `LogField` (libraries have their own) are named under `unlisted` and
/// their values are not written. An event's `error` becomes `detail`.
package struct JSONLogHandler: LogHandler {
    /// Events below it are not written.
    package var logLevel: Logger.Level
    /// Fields of every line of this logger.
    package var metadata: Logger.Metadata = [:]
    /// Fields of the task that logs.
    package var metadataProvider: Logger.MetadataProvider?

    private let service: String
    private let time: any Time
    private let sink: any LogSink

    /// Lines of `service` at `level` and above, stamped by `time`, to `sink`.
    package init(service: String, level: Logger.Level, time: any Time, sink: any LogSink) {
        self.service = service
        self.logLevel = level
        self.time = time
        self.sink = sink
    }

    /// One of the fields of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    package func log(event: LogEvent) {
        let fields = merged(event)
        var line = LogLine()
        line.add("time", time.now().text)
        line.add("level", event.level.rawValue)
        line.add("service", service)
        line.add("event", event.message.description)
        for field in LogField.allCases {
            if let value = fields[field.rawValue] { line.add(field.rawValue, value) }
        }
        line.addUnlisted(fields.keys.filter { LogField(rawValue: $0) == nil }.sorted())
        sink.write(line.closed())
    }

    private func merged(_ event: LogEvent) -> Logger.Metadata {
        var fields = metadataProvider?.get() ?? [:]
        fields.merge(metadata) { _, newer in newer }
        if let own = event.metadata { fields.merge(own) { _, newer in newer } }
        if let error = event.error, fields[LogField.detail.rawValue] == nil {
            fields[LogField.detail.rawValue] = .string(String(describing: error))
        }
        return fields
    }
}

extension Logger {
    /// A logger of `service` that writes JSON lines.
    package static func json(
        service: String, level: Logger.Level, time: any Time,
        sink: any LogSink = StandardErrorSink()
    ) -> Logger {
        Logger(label: service) { _ in
            JSONLogHandler(service: service, level: level, time: time, sink: sink)
        }
    }
}
