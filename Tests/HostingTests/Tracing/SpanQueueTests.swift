import RPC
import ServiceRuntime
import TestSupport
import Testing
import Tracing

@testable import Hosting

@Suite("The queue of spans for the collector")
struct SpanQueueTests {
    private func tracer(_ queue: SpanQueue, sampling: Double = 1) -> SpanTracer {
        SpanTracer(
            sampling: sampling, queue: queue, time: ManualTime(), randomness: SeededRandomness())
    }

    private func end(_ count: Int, _ tracer: SpanTracer) {
        for number in 0..<count {
            let moment = CallTracing.Instant(nanosecondsSinceEpoch: UInt64(number))
            tracer.startSpan("m", context: .topLevel, ofKind: .server, at: moment).end(at: moment)
        }
    }

    @Test("the queue is bounded, and spans that do not fit are dropped and counted")
    func bounded() {
        let queue = SpanQueue()
        let registry = MetricsRegistry()
        registry.add(queue)
        end(SpanQueue.spansMax + 7, tracer(queue))
        let text = registry.prometheusText()
        #expect(text.contains("postern_trace_spans_waiting \(SpanQueue.spansMax)\n"))
        #expect(text.contains("postern_trace_spans_dropped_total{reason=\"queue-full\"} 7\n"))
        #expect(queue.take(.max).count == SpanQueue.spansMax)
        #expect(queue.take(1).isEmpty)
    }

    @Test("sampling records about its share of the traces")
    func sampling() {
        let queue = SpanQueue()
        end(2_000, tracer(queue, sampling: 0.25))
        let count = queue.take(.max).count
        #expect((400...600).contains(count), "\(count)")
    }

    @Test("a span ends once and stores a limited number of events")
    func once() throws {
        let queue = SpanQueue()
        let moment = CallTracing.Instant(nanosecondsSinceEpoch: 5)
        let span = tracer(queue).startSpan("m", context: .topLevel, ofKind: .server, at: moment)
        for _ in 0..<100 { span.addEvent(SpanEvent(name: "e", at: moment)) }
        span.end(at: moment)
        span.end(at: moment)
        span.operationName = "late"
        let spans = queue.take(.max)
        #expect(spans.map(\.name) == ["m"])
        #expect(spans.first?.events.count == FinishedSpan.eventsMax)
    }

    @Test("a span records an error's type but not its text")
    func errors() throws {
        let queue = SpanQueue()
        let moment = CallTracing.Instant(nanosecondsSinceEpoch: 5)
        let span = tracer(queue).startSpan("m", context: .topLevel, ofKind: .server, at: moment)
        span.recordError(
            ServiceError(.internalError, detail: "canary"), attributes: [:], at: moment)
        span.end(at: moment)
        let bytes = OTLPDocument.encode(queue.take(1), service: "postern.test")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("ServiceRuntime.ServiceError"))
        #expect(!text.contains("canary"))
    }
}
