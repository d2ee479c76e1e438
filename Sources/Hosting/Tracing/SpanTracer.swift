import RPC
package import ServiceRuntime
package import Tracing

/// The tracer of a program that has a collector: makes spans, hands the trace on by W3C's
/// `traceparent`, and puts what has ended into the exporter's queue.
///
/// Whether a trace is recorded is decided where it begins and then holds everywhere: a caller's
/// sampled flag is heeded, so that a trace is whole or not there.
package struct SpanTracer: Tracer {
    private let sampling: Double
    private let randomness: any Randomness
    private let clock: TraceClock
    private let time: any Time
    private let queue: SpanQueue

    /// A tracer that records `sampling` (0 … 1) of the traces that begin here.
    package init(
        sampling: Double, queue: SpanQueue, time: any Time, randomness: any Randomness
    ) {
        self.sampling = sampling
        self.queue = queue
        self.time = time
        self.randomness = randomness
        clock = TraceClock(time)
    }

    /// A span that begins at `instant`; it records only if its trace does.
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

    /// The same span, its type erased; an older way in that the protocol still asks for.
    package func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> any Tracing.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
    }

    /// A trace that begins here. Its last seven random bytes decide, as W3C's second level has it,
    /// so that all who take part and know the rate would decide alike.
    private func root() -> TraceParent {
        var trace = randomness.bytes(16)
        if trace.allSatisfy({ $0 == 0 }) { trace[15] = 1 }  // the one id that means none
        let draw = trace.suffix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return TraceParent(
            traceID: trace, spanID: randomness.bytes(8),
            isSampled: Double(draw) < sampling * Double(UInt64(1) << 56))
    }

    /// The exporter has its own rhythm.
    package func forceFlush() {}

    /// Takes the caller's place in its trace from what came with a call.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let text = extractor.extract(key: Metadata.Key.traceparent, from: carrier)
        if let place = text.flatMap({ TraceParent($0) }) { context.traceParent = place }
    }

    /// Tells the place in the trace beside a call.
    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context.traceParent else { return }
        injector.inject(place.text, forKey: Metadata.Key.traceparent, into: &carrier)
    }
}
