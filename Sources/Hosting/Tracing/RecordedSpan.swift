package import RPC
import Synchronization
package import Tracing

/// An open span. If its trace is not recorded, it keeps only its trace context.
package final class RecordedSpan: Tracing.Span {
    /// The context for everything that runs within the span.
    package let context: ServiceContext
    private let queue: SpanQueue?
    private let state: Mutex<FinishedSpan>

    init(_ span: FinishedSpan, context: ServiceContext, queue: SpanQueue?) {
        self.context = context
        self.queue = queue
        state = Mutex(span)
    }

    /// Whether the span is recorded.
    package var isRecording: Bool { queue != nil }

    /// The span's name.
    package var operationName: String {
        get { state.withLock { $0.name } }
        set { change { $0.name = FinishedSpan.cut(newValue) } }
    }

    /// The span's attributes. At most `FinishedSpan.attributesMax` are exported.
    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { change { $0.attributes = newValue } }
    }

    /// Sets the status. The last call wins.
    package func setStatus(_ status: SpanStatus) { change { $0.status = status } }

    /// Adds an event within the span. At most `FinishedSpan.eventsMax` are kept.
    package func addEvent(_ event: SpanEvent) {
        change { span in
            if span.events.count < FinishedSpan.eventsMax { span.events.append(event) }
        }
    }

    /// Records an error as an event that names its type. The error's text is not exported, since it
    /// may contain personal data.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        addEvent(
            SpanEvent(
                name: "exception", at: instant(),
                attributes: ["exception.type": .string(String(reflecting: type(of: error)))]))
    }

    /// Ignored: calls have parents and need no links.
    package func addLink(_ link: SpanLink) {}

    /// Ends the span and adds it to the exporter's queue. A second call does nothing.
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let queue else { return }
        let moment = instant().nanosecondsSinceEpoch
        let ended = state.withLock { span -> FinishedSpan? in
            guard span.endedNanoseconds == nil else { return nil }
            span.endedNanoseconds = max(moment, span.beganNanoseconds)
            return span
        }
        if let ended { queue.add(ended) }
    }

    private func change(_ body: (inout FinishedSpan) -> Void) {
        guard queue != nil else { return }
        state.withLock { if $0.endedNanoseconds == nil { body(&$0) } }
    }
}

/// The data of a span that the exporter writes.
package struct FinishedSpan: Sendable {
    /// The largest number of exported attributes.
    static let attributesMax = 32
    /// Events that are kept.
    static let eventsMax = 16
    /// The largest size of a name or an attribute's text, in bytes.
    static let textBytesMax = 256

    /// The method's name.
    package var name: String
    /// Server or client.
    package let kind: SpanKind
    /// The ids of its trace and of the span itself.
    package let place: TraceParent
    /// The id of the parent span.
    package let parent: String?
    /// The start, in nanoseconds since 1970.
    package let beganNanoseconds: UInt64
    /// The end, in nanoseconds since 1970. Nil while the span is open.
    package var endedNanoseconds: UInt64?
    /// The span's attributes.
    package var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    /// The status, where one was set.
    package var status: SpanStatus?

    init(
        name: String, kind: SpanKind, place: TraceParent, parent: String?, beganNanoseconds: UInt64
    ) {
        self.name = name
        self.kind = kind
        self.place = place
        self.parent = parent
        self.beganNanoseconds = beganNanoseconds
    }

    /// Truncates a text to the largest size.
    static func cut(_ text: String) -> String {
        if text.utf8.count <= textBytesMax { return text }
        return String(decoding: text.utf8.prefix(textBytesMax), as: UTF8.self)
    }
}
