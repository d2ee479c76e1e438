package import RPC
package import ServiceRuntime
import Synchronization
package import Tracing

/// The tracer of a program with a collector: creates spans, propagates the trace with W3C's
/// `traceparent`, and adds ended spans to the exporter's queue.
///
/// The sampling decision is made where a trace starts and applies everywhere: a caller's sampled
/// flag is respected, so that a trace is recorded completely or not at all.
package struct SpanTracer: Tracer {
    private let sampling: Double
    private let randomness: any Randomness
    private let clock: CallTracing.Clock
    private let time: any Time
    private let queue: SpanQueue

    /// A tracer that records `sampling` (0 … 1) of the traces that start here.
    package init(
        sampling: Double, queue: SpanQueue, time: any Time, randomness: any Randomness
    ) {
        self.sampling = sampling
        self.queue = queue
        self.time = time
        self.randomness = randomness
        clock = CallTracing.Clock(time)
    }

    /// Starts a span at `instant`. It is recorded only if its trace is.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.traceParent
        let place = parent?.child(spanID: randomness.bytes(8)) ?? root()
        context.traceParent = place
        return RecordedSpan(
            FinishedSpan(
                name: FinishedSpan.cut(operationName), kind: kind, place: place,
                parent: parent?.spanID,
                beganNanoseconds: place.isSampled ? instant().nanosecondsSinceEpoch : 0),
            context: context, queue: place.isSampled ? queue : nil)
    }

    /// The same with an erased type; an older method that the protocol still requires.
    package func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> any Tracing.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
    }

    /// Starts a trace. Its last seven random bytes make the sampling decision, as in W3C Trace
    /// Context Level 2, so that all participants that know the rate decide alike.
    private func root() -> TraceParent {
        var trace = randomness.bytes(16)
        if trace.allSatisfy({ $0 == 0 }) { trace[15] = 1 }  // an id of zeros is invalid
        let draw = trace.suffix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return TraceParent(
            traceID: trace, spanID: randomness.bytes(8),
            isSampled: Double(draw) < sampling * Double(UInt64(1) << 56))
    }

    /// Does nothing: the exporter sends spans at its own interval.
    package func forceFlush() {}

    /// Reads the caller's trace context from a call's metadata.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let text = extractor.extract(key: Metadata.Key.traceparent, from: carrier)
        if let place = text.flatMap({ TraceParent($0) }) { context.traceParent = place }
    }

    /// Writes the trace context into a call's metadata.
    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context.traceParent else { return }
        injector.inject(place.text, forKey: Metadata.Key.traceparent, into: &carrier)
    }
}

/// An open span. If its trace is not recorded, it has only its trace context.
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

    /// Adds an event within the span. At most `FinishedSpan.eventsMax` are stored.
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
    /// The largest number of events.
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

    /// Truncates a text to the largest size.
    static func cut(_ text: String) -> String {
        if text.utf8.count <= textBytesMax { return text }
        return String(decoding: text.utf8.prefix(textBytesMax), as: UTF8.self)
    }
}
