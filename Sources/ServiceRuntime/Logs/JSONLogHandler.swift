import JSON
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

    private let origin: Origin
    private let time: any Time
    private let sink: any LogSink

    /// Writes the lines of `origin` at `level` and above, with the time of `time`, to `sink`.
    package init(_ origin: Origin, level: Logger.Level, time: any Time, sink: any LogSink) {
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
        var line = Line()
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

    /// The process that writes a log line.
    package struct Origin: Sendable {
        /// The service's short name, for example `session`.
        package let service: String
        /// The program's version. Omitted where empty.
        package let version: String
        /// Identifies the instance of the service, for example `HOST:PID`. Omitted where empty.
        package let instance: String

        /// The origin of a process's lines.
        package init(service: String, version: String = "", instance: String = "") {
            self.service = service
            self.version = version
            self.instance = instance
        }
    }

    /// One event as one line of JSON. At most `bytesMax` long, its newline included.
    struct Line {
        /// A pipe writes up to 4,096 bytes (PIPE_BUF) atomically, so that the lines of several
        /// programs on one terminal or collector never mix: pipe(7).
        static let bytesMax = 4_096
        /// The largest size of one escaped value, in bytes.
        static let valueBytesMax = 1_024
        /// The largest number of names listed that are not in `LogField`.
        static let unlistedNamesMax = 8
        /// Reserved for the end of a line: `,"cut":true}` and the newline.
        private static let closingBytes = 16

        private var bytes: [UInt8] = [UInt8(ascii: "{")]
        private var isCut = false

        /// Adds a text.
        mutating func add(_ name: String, _ text: String) {
            add(name) { JSONText.append(text, to: &$0, .shown, bytesMax: Self.valueBytesMax) }
        }

        /// Adds a number or boolean as JSON's own, or any other value as text.
        mutating func add(_ name: String, _ value: Logger.Metadata.Value) {
            switch value {
            case .stringConvertible(LogValue.integer(let number)):
                add(name) { $0.append(contentsOf: String(number).utf8) }
            case .stringConvertible(LogValue.claim(let claim)):
                add(name) { $0.append(contentsOf: String(claim).utf8) }
            default: add(name, value.description)
            }
        }

        /// Adds the names of fields that are not in `LogField`. Their values are not written.
        mutating func addUnlisted(_ names: [String]) {
            guard !names.isEmpty else { return }
            add("unlisted", names.prefix(Self.unlistedNamesMax).joined(separator: " "))
        }

        /// The complete line with its newline.
        consuming func closed() -> [UInt8] {
            if isCut { bytes.append(contentsOf: ",\"cut\":true".utf8) }
            bytes.append(contentsOf: "}\n".utf8)
            return bytes
        }

        /// Adds a member. One that does not fit is omitted as a whole, and the line is marked as
        /// cut.
        private mutating func add(_ name: String, _ write: (inout [UInt8]) -> Void) {
            let before = bytes.count
            if before > 1 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(name, to: &bytes, .shown, bytesMax: 64)
            bytes.append(UInt8(ascii: ":"))
            write(&bytes)
            guard bytes.count > Self.bytesMax - Self.closingBytes else { return }
            bytes.removeLast(bytes.count - before)
            isCut = true
        }
    }
}

extension Logger {
    /// A logger of `service` that writes JSON lines.
    package static func json(
        service: String, level: Logger.Level, time: any Time,
        sink: any LogSink = StandardErrorSink()
    ) -> Logger {
        Logger(label: service) { _ in
            JSONLogHandler(.init(service: service), level: level, time: time, sink: sink)
        }
    }
}
