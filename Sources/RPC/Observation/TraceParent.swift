import Cryptography
package import Tracing

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
