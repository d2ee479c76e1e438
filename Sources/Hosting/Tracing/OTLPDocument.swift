import JSON
import RPC
import Tracing

/// Encodes a batch of spans as OTLP JSON: an `ExportTraceServiceRequest` in proto3's JSON mapping,
/// except that ids are hexadecimal and enumerations are numbers.
/// Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
package enum OTLPDocument {
    /// The bytes of a request with these spans of `service`.
    package static func encode(_ spans: [FinishedSpan], service: String) -> [UInt8] {
        var out = Writer()
        out.raw(#"{"resourceSpans":[{"resource":{"attributes":["#)
        attribute("service.name", .string(service), to: &out)
        out.raw(#"]},"scopeSpans":[{"scope":{"name":"postern"},"spans":["#)
        out.list(spans) { span, out in write(span, to: &out) }
        out.raw("]}]}]}")
        return out.bytes
    }

    private static func write(_ span: FinishedSpan, to out: inout Writer) {
        out.raw(#"{"traceId":"\#(span.place.traceID)","spanId":"\#(span.place.spanID)","#)
        if let parent = span.parent { out.raw(#""parentSpanId":"\#(parent)","#) }
        out.raw(#""flags":\#(span.place.isSampled ? 1 : 0),"name":"#)
        out.text(span.name)
        out.raw(#","kind":\#(number(span.kind)),"#)
        // 64-bit numbers are strings in proto3's JSON mapping, since JavaScript's numbers have 53
        // bits.
        out.raw(#""startTimeUnixNano":"\#(span.beganNanoseconds)","#)
        out.raw(#""endTimeUnixNano":"\#(span.endedNanoseconds ?? span.beganNanoseconds)","#)
        out.raw(#""attributes":"#)
        write(span.attributes, to: &out)
        if !span.events.isEmpty {
            out.raw(#","events":["#)
            out.list(span.events) { event, out in write(event, to: &out) }
            out.raw("]")
        }
        if let status = span.status { write(status, to: &out) }
        out.raw("}")
    }

    private static func write(_ event: SpanEvent, to out: inout Writer) {
        out.raw(#"{"timeUnixNano":"\#(event.nanosecondsSinceEpoch)","name":"#)
        out.text(FinishedSpan.cut(event.name))
        out.raw(#","attributes":"#)
        write(event.attributes, to: &out)
        out.raw("}")
    }

    private static func write(_ status: SpanStatus, to out: inout Writer) {
        out.raw(#","status":{"code":\#(status.code == .ok ? 1 : 2)"#)
        if let message = status.message {
            out.raw(#","message":"#)
            out.text(FinishedSpan.cut(message))
        }
        out.raw("}")
    }

    private static func number(_ kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func write(_ attributes: SpanAttributes, to out: inout Writer) {
        var pairs: [(String, SpanAttribute)] = []
        attributes.forEach { pairs.append(($0, $1)) }
        let exported = pairs.sorted { $0.0 < $1.0 }.prefix(FinishedSpan.attributesMax)
        out.raw("[")
        out.list(exported) { pair, out in attribute(pair.0, pair.1, to: &out) }
        out.raw("]")
    }

    private static func attribute(
        _ name: String, _ value: SpanAttribute, to out: inout Writer
    ) {
        out.raw(#"{"key":"#)
        out.text(FinishedSpan.cut(name))
        out.raw(#","value":{"#)
        switch value {
        case .bool(let claim): out.raw(#""boolValue":\#(claim)"#)
        case .int32(let number): out.raw(#""intValue":"\#(number)""#)
        case .int64(let number): out.raw(#""intValue":"\#(number)""#)
        case .double(let number) where number.isFinite: out.raw(#""doubleValue":\#(number)"#)
        case .string(let text): string(text, to: &out)
        // No attribute of ours has another type, such as a list; as text it would still be
        // readable.
        default: string(String(describing: value), to: &out)
        }
        out.raw("}}")
    }

    private static func string(_ text: String, to out: inout Writer) {
        out.raw(#""stringValue":"#)
        out.text(FinishedSpan.cut(text))
    }

    /// Writes JSON piece by piece.
    struct Writer {
        private(set) var bytes: [UInt8] = []

        /// Appends text that is already JSON.
        mutating func raw(_ text: String) { bytes += text.utf8 }

        /// Appends a string in quotes, escaped.
        mutating func text(_ text: String) { JSONText.append(text, to: &bytes, .required) }

        /// Appends elements separated by commas.
        mutating func list<Elements: Collection>(
            _ elements: Elements, _ write: (Elements.Element, inout Writer) -> Void
        ) {
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element, &self)
            }
        }
    }
}
