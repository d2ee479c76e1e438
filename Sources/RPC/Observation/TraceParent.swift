import Cryptography
package import Tracing

/// A place in a trace as it travels between programs: W3C's `traceparent`, version 00.
/// Source: https://www.w3.org/TR/trace-context/#traceparent-header
package struct TraceParent: Hashable, Sendable {
    /// 32 hexadecimal digits in lower case, not all zero.
    package let traceID: String
    /// 16 of them: the span that the next one is a child of.
    package let spanID: String
    /// Whether the caller records this trace.
    package let isSampled: Bool

    /// The place of 16 and 8 bytes.
    package init(traceID: [UInt8], spanID: [UInt8], isSampled: Bool) {
        self.init(Hex.encode(traceID), Hex.encode(spanID), isSampled)
    }

    private init(_ traceID: String, _ spanID: String, _ isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// The next span of the same trace.
    package func child(spanID: [UInt8]) -> TraceParent {
        TraceParent(traceID, Hex.encode(spanID), isSampled)
    }

    /// Reads `00-<trace>-<span>-<flags>`; nil for anything else, and a new trace then begins.
    /// A later version may have more parts behind these four, which are read as far as we know.
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

    /// As it travels.
    package var text: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }

    /// Of any version's text: twice what version 00 has.
    private static let bytesMax = 110

    /// So many digits in lower case, as the standard wants them.
    private static func hex(_ part: Substring.UTF8View, count: Int) -> String? {
        let isHex = part.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        return isHex && part.count == count ? String(Substring(part)) : nil
    }
}

extension ServiceContext {
    /// The place in a trace that this context stands at, by our own tracer.
    package var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }

    private enum TraceParentKey: ServiceContextKey {
        typealias Value = TraceParent
    }
}

extension Metadata {
    /// The place in a trace that the caller told, if it told one that is well-formed.
    var traceParent: TraceParent? { self[Key.traceparent].flatMap { TraceParent($0) } }
}
