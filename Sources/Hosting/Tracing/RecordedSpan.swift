package import RPC
import Synchronization
package import Tracing

/// A span while it is open. Of a trace that is not recorded it keeps nothing but its place.
package final class RecordedSpan: Tracing.Span {
    /// What is made within the span is given this.
    package let context: ServiceContext
    private let queue: SpanQueue?
    private let state: Mutex<FinishedSpan>

    init(_ span: FinishedSpan, context: ServiceContext, queue: SpanQueue?) {
        self.context = context
        self.queue = queue
        state = Mutex(span)
    }

    /// Whether anything becomes of it.
    package var isRecording: Bool { queue != nil }

    /// What it is called.
    package var operationName: String {
        get { state.withLock { $0.name } }
        set { change { $0.name = FinishedSpan.cut(newValue) } }
    }

    /// Its attributes; no more than `FinishedSpan.attributesMax` are kept.
    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { change { $0.attributes = newValue } }
    }

    /// How it ended; the last word counts.
    package func setStatus(_ status: SpanStatus) { change { $0.status = status } }

    /// Something that happened within it; no more than `FinishedSpan.eventsMax` are kept.
    package func addEvent(_ event: SpanEvent) {
        change { span in
            if span.events.count < FinishedSpan.eventsMax { span.events.append(event) }
        }
    }

    /// An error becomes an event that names its type. Its text stays here: it may say of whom.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        addEvent(
            SpanEvent(
                name: "exception", at: instant(),
                attributes: ["exception.type": .string(String(reflecting: type(of: error)))]))
    }

    /// Links are not kept: calls have parents.
    package func addLink(_ link: SpanLink) {}

    /// Ends the span and hands it to the exporter; a second end does nothing.
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

/// What becomes of a span: what the exporter writes down.
package struct FinishedSpan: Sendable {
    /// Attributes that are written.
    static let attributesMax = 32
    /// Events that are kept.
    static let eventsMax = 16
    /// Of a name or an attribute's text, in bytes.
    static let textBytesMax = 256

    /// The method's name.
    package var name: String
    /// Server or client.
    package let kind: SpanKind
    /// Its trace and its own id.
    package let place: TraceParent
    /// The span that it is a child of.
    package let parent: String?
    /// Since 1970.
    package let beganNanoseconds: UInt64
    /// Since 1970; nil while it is open.
    package var endedNanoseconds: UInt64?
    /// What is known of it.
    package var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    /// How it ended, where somebody said so.
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

    /// The text, no longer than is kept.
    static func cut(_ text: String) -> String {
        if text.utf8.count <= textBytesMax { return text }
        return String(decoding: text.utf8.prefix(textBytesMax), as: UTF8.self)
    }
}
