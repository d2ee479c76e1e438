package import Logging

/// Writes log events as lines of JSON:
/// `{"time":"2026-01-01T00:00:00.000Z","level":"info","service":"session","version":"1.0.0",`
/// `"instance":"host-1:4711","event":"session.signing_keys.loaded","message":"…",…}`.
///
/// `event` is a stable code, or `library` for lines that a library writes. `message` is a sentence.
/// Of fields that are not in `LogField` (libraries have their own), only the names are written,
/// under `unlisted`. An event's `error` becomes `detail`.
package struct JSONLogHandler: LogHandler {
    /// The metadata key that carries an event's code to this handler.
    static let eventKey = "event"

    /// Events below this level are not written.
    package var logLevel: Logger.Level
    /// Fields of every line of this logger.
    package var metadata: Logger.Metadata = [:]
    /// Provides the fields of the task that logs.
    package var metadataProvider: Logger.MetadataProvider?

    private let origin: LogOrigin
    private let time: any Time
    private let sink: any LogSink

    /// Writes the lines of `origin` at `level` and above, with the time of `time`, to `sink`.
    package init(_ origin: LogOrigin, level: Logger.Level, time: any Time, sink: any LogSink) {
        self.origin = origin
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
        var fields = merged(event)
        let code = fields.removeValue(forKey: Self.eventKey)?.description ?? "library"
        var line = LogLine()
        line.add("time", time.now().text)
        line.add("level", event.level.rawValue)
        line.add("service", origin.service)
        if !origin.version.isEmpty { line.add("version", origin.version) }
        if !origin.instance.isEmpty { line.add("instance", origin.instance) }
        line.add("event", code)
        line.add("message", event.message.description)
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
            JSONLogHandler(LogOrigin(service: service), level: level, time: time, sink: sink)
        }
    }
}
