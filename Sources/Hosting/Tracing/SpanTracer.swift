import RPC
package import ServiceRuntime
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
