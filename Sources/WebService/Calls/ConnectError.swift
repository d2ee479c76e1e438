import Cryptography
import HTTPTypes
import JSON
import Messages
import RPC
import ServiceRuntime

/// The JSON of errors in Connect (https://connectrpc.com/docs/protocol#error-end-stream).
extension CallFailure {
    /// The body of a unary error.
    var connectError: JSONObject {
        let detail = WireV1.Response(call: 0, error).error ?? WireV1.Error()
        return [
            "code": .string(callStatus.connectName),
            "message": .string(message),
            "details": .array([
                .object([
                    "type": .string(WireV1.Error.fullName),
                    "value": .string(Base64.encodeUnpadded(detail.encoded())),
                    "debug": .object(detail.json),
                ])
            ]),
        ]
    }

    /// The last frame of a stream; nil for a call that succeeded.
    static func endOfStream(_ failure: CallFailure?) -> JSONObject {
        guard let failure else { return [:] }
        var end: JSONObject = ["error": .object(failure.connectError)]
        // A stream's head has been sent, so what is a field of a unary response is metadata here.
        if !failure.fields.isEmpty {
            let members = failure.fields.map {
                JSONObject.Member(name: $0.name.canonicalName, value: .array([.string($0.value)]))
            }
            _ = end.add("metadata", .object(JSONObject(unique: members)))
        }
        return end
    }
}

extension WireV1.Error {
    /// The message in the mapping of proto3, which omits empty fields.
    fileprivate var json: JSONObject {
        var json: JSONObject = ["code": .string(code), "userMessage": .string(userMessage)]
        if retryable { _ = json.add("retryable", .boolean(true)) }
        if retryAfterMs > 0 { _ = json.add("retryAfterMs", .string("\(retryAfterMs)")) }
        if !action.isEmpty { _ = json.add("action", .string(action)) }
        if !violations.isEmpty {
            _ = json.add("violations", .array(violations.map { .object($0.json) }))
        }
        for (name, words) in [
            ("acceptableProofs", acceptableProofs), ("alternatives", alternatives),
        ] where !words.isEmpty {
            _ = json.add(name, .array(words.map { .string($0) }))
        }
        if currentVersion != 0 { _ = json.add("currentVersion", .string("\(currentVersion)")) }
        if let documentQuota { _ = json.add("documentQuota", .object(documentQuota.json)) }
        if !unavailablePart.isEmpty { _ = json.add("unavailablePart", .string(unavailablePart)) }
        return json
    }
}

extension WireV1.Violation {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["field": .string(field)]
        if !rule.isEmpty { _ = json.add("rule", .string(rule)) }
        if !sentence.isEmpty { _ = json.add("sentence", .string(sentence)) }
        return json
    }
}

extension WireV1.DocumentQuota {
    fileprivate var json: JSONObject {
        [
            "documents": .integer(Int64(documents)), "documentsMax": .integer(Int64(documentsMax)),
            "bytes": .integer(Int64(bytes)), "bytesMax": .integer(Int64(bytesMax)),
        ]
    }
}
