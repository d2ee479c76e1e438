import Cryptography
package import ServiceRuntime
package import Tracing

/// Makes the spans of calls with swift-distributed-tracing's tracer: one for each call served, as a
/// child of the caller's span, and one for each call made, as a child of the current span. Their
/// attributes contain methods, services and applications, never user data.
package struct CallTracing: Sendable {
    private let tracer: any Tracer
    private let clock: Clock

    /// Tracing with `tracer`; reads the clock for the spans' times.
    package init(_ tracer: any Tracer, time: any Time) {
        self.tracer = tracer
        clock = Clock(time)
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

    /// The span of a running call.
    final class TracedCall: Sendable {
        private let span: any Span
        private let kind: SpanKind
        private let clock: Clock

        init(span: any Span, kind: SpanKind, clock: Clock) {
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
                if isFailure(status) {
                    span.setStatus(SpanStatus(code: .error, message: status.name))
                }
            }
            span.end(at: clock.instant(at: uptime))
        }

        /// A caller's error is not a failure of the server.
        private func isFailure(_ status: StatusCode) -> Bool {
            switch status {
            case .ok: false
            case .unknown, .deadlineExceeded, .unimplemented, .internal, .unavailable, .dataLoss:
                true
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
    package struct Clock: Sendable {
        private let began: Duration
        private let beganNanoseconds: UInt64

        /// Reads both clocks once.
        package init(_ time: any Time) {
            began = time.uptime()
            beganNanoseconds = time.unixNanoseconds()
        }

        /// The wall clock time at `uptime`.
        package func instant(at uptime: Duration) -> Instant {
            Instant(
                nanosecondsSinceEpoch: uptime >= began
                    ? beganNanoseconds &+ (uptime - began).nanoseconds
                    : beganNanoseconds &- (began - uptime).nanoseconds)
        }
    }

    /// A wall clock time of a span.
    package struct Instant: TracerInstant {
        /// Nanoseconds since 1970.
        package let nanosecondsSinceEpoch: UInt64

        /// The time that many nanoseconds after 1970.
        package init(nanosecondsSinceEpoch: UInt64) {
            self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
        }

        /// Whether `left` is earlier.
        package static func < (left: Instant, right: Instant) -> Bool {
            left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
        }
    }
}

/// The trace context that is sent between programs: W3C's `traceparent`, version 00. Source:
/// https://www.w3.org/TR/trace-context/#traceparent-header
package struct TraceParent: Hashable, Sendable {
    /// 32 hexadecimal digits in lower case, not all zero.
    package let traceID: String
    /// 16 hexadecimal digits: the parent span of the next span.
    package let spanID: String
    /// Whether the caller records this trace.
    package let isSampled: Bool

    /// A trace context from a trace id of 16 bytes and a span id of 8.
    package init(traceID: [UInt8], spanID: [UInt8], isSampled: Bool) {
        self.init(Hex.encode(traceID), Hex.encode(spanID), isSampled)
    }

    private init(_ traceID: String, _ spanID: String, _ isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// The context of the next span of the same trace.
    package func child(spanID: [UInt8]) -> TraceParent {
        TraceParent(traceID, Hex.encode(spanID), isSampled)
    }

    /// Reads `00-<trace>-<span>-<flags>`; nil for any other text, so that a new trace is started. A
    /// later version may have more parts, which are ignored.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, text.utf8.count <= Self.bytesMax, parts[0].count == 2,
            let version = Self.hex(parts[0], count: 2), version != "ff",
            version != "00" || parts.count == 4, let trace = Self.hex(parts[1], count: 32),
            let span = Self.hex(parts[2], count: 16), Self.hex(parts[3], count: 2) != nil,
            let flags = UInt8(String(Substring(parts[3])), radix: 16),
            trace.utf8.contains(where: { $0 != UInt8(ascii: "0") }),
            span.utf8.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        self.init(trace, span, flags & 1 == 1)
    }

    /// The value of the header.
    package var text: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }

    /// Size limit of the text of any version, in bytes: twice that of version 00.
    private static let bytesMax = 110

    /// The text, if it is `count` hexadecimal digits in lower case, as the standard requires.
    private static func hex(_ part: Substring.UTF8View, count: Int) -> String? {
        let isHex = part.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        return isHex && part.count == count ? String(Substring(part)) : nil
    }
}

extension ServiceContext {
    /// The trace context of our own tracer in this service context.
    package var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }

    private enum TraceParentKey: ServiceContextKey {
        typealias Value = TraceParent
    }
}

extension Metadata {
    /// The caller's trace context, if there is a well-formed one.
    var traceParent: TraceParent? { self[Key.traceparent].flatMap { TraceParent($0) } }
}
