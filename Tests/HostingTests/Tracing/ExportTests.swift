import Foundation
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing
import Tracing

@testable import Hosting

@Suite("Spans are sent to a collector as OTLP JSON", .timeLimit(.minutes(1)))
struct ExportTests {
    private let queue = SpanQueue()
    private let log = CapturedLog()

    private func exporter(_ sink: CollectorSink) throws -> SpanExporter {
        SpanExporter(
            queue, to: try #require(CollectorAddress("http://127.0.0.1:\(sink.port)")),
            service: "postern.test", group: .singleton, time: ManualTime(), logger: log.logger())
    }

    private func makeSpans(_ count: Int) throws {
        let tracer = SpanTracer(
            sampling: 1, queue: queue, time: ManualTime(), randomness: SeededRandomness())
        var context = ServiceContext.topLevel
        context.traceParent = TraceParent(
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        for number in 0..<count {
            let span = tracer.startSpan(
                "test.v1.T/Call\"\n\(number)", context: context, ofKind: .server,
                at: CallTracing.Instant(nanosecondsSinceEpoch: 1_767_225_600_000_000_001))
            span.attributes["rpc.system"] = "postern"
            span.attributes["count"] = 5
            span.setStatus(SpanStatus(code: .error, message: "internal"))
            span.end(at: CallTracing.Instant(nanosecondsSinceEpoch: 1_767_225_600_000_500_000))
        }
    }

    @Test("the document is an ExportTraceServiceRequest, sent to OTLP's path")
    func document() async throws {
        try makeSpans(2)
        let sink = try CollectorSink(answering: 200)
        let exporter = try exporter(sink)
        async let received = sink.request()
        #expect(await exporter.exportAll())
        let request = try await received
        #expect(request.head.hasPrefix("POST /v1/traces HTTP/1.1\r\n"))
        #expect(request.head.contains("content-type: application/json\r\n"))
        let json = try JSONSerialization.jsonObject(with: Data(request.body))
        let top = try #require(json as? [String: Any])
        #expect(Array(top.keys) == ["resourceSpans"])
        let resource = try #require((top["resourceSpans"] as? [[String: Any]])?.first)
        #expect(Set(resource.keys) == ["resource", "scopeSpans"])
        let named = resource["resource"] as? NSDictionary
        #expect(
            named == [
                "attributes": [
                    ["key": "service.name", "value": ["stringValue": "postern.test"]]
                ]
            ])
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        #expect(Set(scope.keys) == ["scope", "spans"])
        let spans = try #require(scope["spans"] as? [NSDictionary])
        #expect(spans.count == 2)
        var first = try #require(spans.first as? [String: Any])
        let spanID = try #require(first.removeValue(forKey: "spanId") as? String)
        #expect(spanID.count == 16)
        #expect(
            first as NSDictionary == [
                "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                "parentSpanId": "00f067aa0ba902b7", "flags": 1, "name": "test.v1.T/Call\"\n0",
                "kind": 2, "startTimeUnixNano": "1767225600000000001",
                "endTimeUnixNano": "1767225600000500000",
                "attributes": [
                    ["key": "count", "value": ["intValue": "5"]],
                    ["key": "rpc.system", "value": ["stringValue": "postern"]],
                ],
                "status": ["code": 2, "message": "internal"],
            ])
    }

    @Test("more spans than a batch are sent in several requests")
    func batches() async throws {
        try makeSpans(SpanExporter.batchMax + 1)
        let sink = try CollectorSink(answering: 200)
        let exporter = try exporter(sink)
        async let first = sink.request()
        async let isTaken = exporter.exportAll()
        _ = try await first
        let second = try await sink.request()
        #expect(await isTaken)
        let text = String(decoding: second.body, as: UTF8.self)
        #expect(text.components(separatedBy: "\"spanId\"").count == 2)
    }

    @Test("a collector that refuses or is down loses only the batch, which is counted")
    func refused() async throws {
        let registry = MetricsRegistry()
        registry.add(queue)
        try makeSpans(3)
        let sink = try CollectorSink(answering: 503)
        let exporter = try exporter(sink)
        async let received = sink.request()
        #expect(await !exporter.exportAll())
        _ = try await received
        #expect(
            registry.prometheusText().contains(
                "postern_trace_spans_dropped_total{reason=\"collector\"} 3\n"))
        sink.stop()
        try makeSpans(2)
        #expect(await !exporter.exportAll())
        #expect(
            registry.prometheusText().contains(
                "postern_trace_spans_dropped_total{reason=\"collector\"} 5\n"))
        #expect(registry.prometheusText().contains("postern_trace_spans_exported_total 0\n"))
    }
}
