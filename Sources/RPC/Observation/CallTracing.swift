package import ServiceRuntime
package import Tracing

/// Makes the spans of calls through swift-distributed-tracing's tracer: one for each call that is
/// served, a child of the caller's, and one for each call that is made, a child of the span it is
/// made in. Their attributes name methods, services and applications, never a person.
package struct CallTracing: Sendable {
    private let tracer: any Tracer
    private let clock: TraceClock

    /// Tracing by `tracer`, whose moments are counted from here.
    package init(_ tracer: any Tracer, time: any Time) {
        self.tracer = tracer
        clock = TraceClock(time)
    }

    /// The span of a call that a server has been given.
    func served(_ method: String, _ call: CallContext, at uptime: Duration) -> TracedCall {
        var parent = ServiceContext.topLevel
        tracer.extract(call.metadata, into: &parent, using: MetadataCarrier())
        let traced = begin(method, parent, .server, at: uptime)
        traced.describe(method, peer: ("postern.caller", call.application))
        return traced
    }

    /// The span of a call that is made, and the call's context with the span told in it.
    func made(
        _ method: String, to service: String, _ call: CallContext, at uptime: Duration
    ) -> (TracedCall, CallContext) {
        var parent = ServiceContext.current ?? .topLevel
        // A worker that goes on with a call's trace has it in the call's context alone.
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

/// A call's span while the call runs.
final class TracedCall: Sendable {
    private let span: any Span
    private let kind: SpanKind
    private let clock: TraceClock

    init(span: any Span, kind: SpanKind, clock: TraceClock) {
        self.span = span
        self.kind = kind
        self.clock = clock
    }

    /// What a handler runs in, so that its own calls become this span's children.
    var context: ServiceContext { span.context }

    var traceParent: TraceParent? { span.context.traceParent }

    /// Names as OpenTelemetry's conventions for rpc have them.
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

    /// A caller's mistake is no failure of the server that tells it so.
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

/// Turns uptimes, by which calls are measured, into the moments that spans carry.
package struct TraceClock: Sendable {
    private let began: Duration
    private let beganNanoseconds: UInt64

    /// Reads both clocks for the only time.
    package init(_ time: any Time) {
        began = time.uptime()
        beganNanoseconds = time.unixNanoseconds()
    }

    /// The moment of `uptime`.
    package func instant(at uptime: Duration) -> TraceInstant {
        TraceInstant(
            nanosecondsSinceEpoch: uptime >= began
                ? beganNanoseconds &+ (uptime - began).nanoseconds
                : beganNanoseconds &- (began - uptime).nanoseconds)
    }
}

/// A moment of a span.
package struct TraceInstant: TracerInstant {
    /// Since 1970.
    package let nanosecondsSinceEpoch: UInt64

    /// A moment so long after 1970.
    package init(nanosecondsSinceEpoch: UInt64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
    }

    /// Earlier than.
    package static func < (left: TraceInstant, right: TraceInstant) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}
