import JSON
import RPC
import Tracing

/// Encodes a batch of spans as OTLP JSON: an `ExportTraceServiceRequest` in proto3's JSON mapping,
/// except that ids are hexadecimal and enumerations are numbers.
/// Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
package enum OTLPDocument {
    /// The bytes of a request with these spans of `service`.
    package static func encode(_ spans: [FinishedSpan], service: String) -> [UInt8] {
        let scope: JSONObject = [
            "scope": .object(["name": .string("postern")]), "spans": .array(spans.map(value)),
        ]
        let resource: JSONObject = [
            "resource": .object([
                "attributes": .array([attribute("service.name", .string(service))])
            ]),
            "scopeSpans": .array([.object(scope)]),
        ]
        return Array(JSONWriter.text(["resourceSpans": .array([.object(resource)])]).utf8)
    }

    private static func value(_ span: FinishedSpan) -> JSONValue {
        var members: [(name: String, value: JSONValue?)] = [
            ("traceId", .string(span.place.traceID)), ("spanId", .string(span.place.spanID)),
            ("parentSpanId", span.parent.map(JSONValue.string)),
            ("flags", .integer(span.place.isSampled ? 1 : 0)), ("name", .string(span.name)),
            ("kind", .integer(number(span.kind))),
            // 64-bit numbers are strings in proto3's JSON mapping, since JavaScript's numbers have
            // 53 bits.
            ("startTimeUnixNano", .string("\(span.beganNanoseconds)")),
            ("endTimeUnixNano", .string("\(span.endedNanoseconds ?? span.beganNanoseconds)")),
            ("attributes", value(span.attributes)),
        ]
        if !span.events.isEmpty { members.append(("events", .array(span.events.map(value)))) }
        members.append(("status", span.status.map(value)))
        return .object(
            JSONObject(
                unique: members.compactMap { member in
                    member.value.map { JSONObject.Member(name: member.name, value: $0) }
                }))
    }

    private static func value(_ event: SpanEvent) -> JSONValue {
        .object([
            "timeUnixNano": .string("\(event.nanosecondsSinceEpoch)"),
            "name": .string(FinishedSpan.cut(event.name)), "attributes": value(event.attributes),
        ])
    }

    private static func value(_ status: SpanStatus) -> JSONValue {
        var object: JSONObject = ["code": .integer(status.code == .ok ? 1 : 2)]
        if let message = status.message {
            _ = object.add("message", .string(FinishedSpan.cut(message)))
        }
        return .object(object)
    }

    private static func number(_ kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func value(_ attributes: SpanAttributes) -> JSONValue {
        var pairs: [(String, SpanAttribute)] = []
        attributes.forEach { pairs.append(($0, $1)) }
        let exported = pairs.sorted { $0.0 < $1.0 }.prefix(FinishedSpan.attributesMax)
        return .array(exported.map { attribute($0.0, $0.1) })
    }

    private static func attribute(_ name: String, _ value: SpanAttribute) -> JSONValue {
        let typed: JSONObject =
            switch value {
            case .bool(let claim): ["boolValue": .boolean(claim)]
            case .int32(let number): ["intValue": .string("\(number)")]
            case .int64(let number): ["intValue": .string("\(number)")]
            case .double(let number) where number.isFinite: ["doubleValue": .real(number)]
            case .string(let text): ["stringValue": .string(FinishedSpan.cut(text))]
            // No attribute of ours has another type, such as a list; as text it would still be
            // readable.
            default: ["stringValue": .string(FinishedSpan.cut(String(describing: value)))]
            }
        return .object(["key": .string(FinishedSpan.cut(name)), "value": .object(typed)])
    }
}
