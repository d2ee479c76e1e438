package import ServiceRuntime
package import Tracing

/// Makes the spans of calls with swift-distributed-tracing's tracer: one for each call served, as a
/// child of the caller's span, and one for each call made, as a child of the current span. Their
/// attributes contain methods, services and applications, never user data.
package struct CallTracing: Sendable {
    private let tracer: any Tracer
    private let clock: TraceClock

    /// Tracing with `tracer`; reads the clock for the spans' times.
    package init(_ tracer: any Tracer, time: any Time) {
        self.tracer = tracer
        clock = TraceClock(time)
    }

    /// Starts the span of a call that a server has received.
    func served(_ method: String, _ call: CallContext, at uptime: Duration) -> TracedCall {
        var parent = ServiceContext.topLevel
        tracer.extract(call.metadata, into: &parent, using: MetadataCarrier())
        let traced = begin(method, parent, .server, at: uptime)
        traced.describe(method, peer: ("postern.caller", call.application))
        return traced
    }

    /// Starts the span of a call that is made; returns it with the call's context, to which the
    /// trace context was added.
    func made(
        _ method: String, to service: String, _ call: CallContext, at uptime: Duration
    ) -> (TracedCall, CallContext) {
        var parent = ServiceContext.current ?? .topLevel
        // A worker that continues a call's trace has it only in the call's context.
        if ServiceContext.current == nil {
            tracer.extract(call.metadata, into: &parent, using: MetadataCarrier())
        }
        let traced = begin(method, parent, .client, at: uptime)
        traced.describe(method, peer: ("server.address", service))
        var onward = call
        tracer.inject(traced.context, into: &onward.metadata, using: MetadataCarrier())
        return (traced, onward)
    }

    private func begin(
        _ method: String, _ parent: ServiceContext, _ kind: SpanKind, at uptime: Duration
    ) -> TracedCall {
        let span = tracer.startSpan(
            method, context: parent, ofKind: kind, at: clock.instant(at: uptime))
        return TracedCall(span: span, kind: kind, clock: clock)
    }
}

/// The span of a running call.
final class TracedCall: Sendable {
    private let span: any Span
    private let kind: SpanKind
    private let clock: TraceClock

    init(span: any Span, kind: SpanKind, clock: TraceClock) {
        self.span = span
        self.kind = kind
        self.clock = clock
    }

    /// The context in which a handler runs, so that its own calls become children of this span.
    var context: ServiceContext { span.context }

    var traceParent: TraceParent? { span.context.traceParent }

    /// Sets attributes according to OpenTelemetry's conventions for RPC.
    func describe(_ method: String, peer: (name: String, value: String)) {
        guard span.isRecording else { return }
        var attributes = SpanAttributes(["rpc.system": "postern"])
        if let slash = method.firstIndex(of: "/") {
            attributes["rpc.service"] = String(method[..<slash])
            attributes["rpc.method"] = String(method[method.index(after: slash)...])
        }
        attributes[peer.name] = peer.value
        span.attributes = attributes
    }

    func end(_ status: StatusCode, at uptime: Duration) {
        if span.isRecording {
            span.attributes["rpc.response.status_code"] = status.name
            if isFailure(status) { span.setStatus(SpanStatus(code: .error, message: status.name)) }
        }
        span.end(at: clock.instant(at: uptime))
    }

    /// A caller's error is not a failure of the server.
    private func isFailure(_ status: StatusCode) -> Bool {
        switch status {
        case .ok: false
        case .unknown, .deadlineExceeded, .unimplemented, .internal, .unavailable, .dataLoss: true
        default: kind == .client
        }
    }
}

/// Reads and writes the trace context in a call's metadata.
private struct MetadataCarrier: Extractor, Injector {
    func extract(key: String, from carrier: Metadata) -> String? { carrier[key] }

    func inject(_ value: String, forKey key: String, into carrier: inout Metadata) {
        carrier[key] = value
    }
}

/// Converts uptimes, by which calls are measured, to wall clock times of spans.
package struct TraceClock: Sendable {
    private let began: Duration
    private let beganNanoseconds: UInt64

    /// Reads both clocks once.
    package init(_ time: any Time) {
        began = time.uptime()
        beganNanoseconds = time.unixNanoseconds()
    }

    /// The wall clock time at `uptime`.
    package func instant(at uptime: Duration) -> TraceInstant {
        TraceInstant(
            nanosecondsSinceEpoch: uptime >= began
                ? beganNanoseconds &+ (uptime - began).nanoseconds
                : beganNanoseconds &- (began - uptime).nanoseconds)
    }
}

/// A wall clock time of a span.
package struct TraceInstant: TracerInstant {
    /// Nanoseconds since 1970.
    package let nanosecondsSinceEpoch: UInt64

    /// The time that many nanoseconds after 1970.
    package init(nanosecondsSinceEpoch: UInt64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
    }

    /// Whether `left` is earlier.
    package static func < (left: TraceInstant, right: TraceInstant) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}
