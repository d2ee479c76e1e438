import Cryptography
import HTTPTypes
import JSON
import Messages
import RPC
import ServiceRuntime

/// The JSON of errors in Connect (https://connectrpc.com/docs/protocol#error-end-stream).
extension CallFailure {
    /// What of our error is also at the top level, by the name there: `code` is Connect's.
    private static let topLevel: KeyValuePairs<String, String> = [
        "errorCode": "code", "userMessage": "userMessage", "action": "action",
        "retryAfterMs": "retryAfterMs",
    ]

    /// The body of a unary error. Connect's are `code`, `message` and `details`. Its clients ignore
    /// the other members, which are for apps that read JSON without its library.
    var connectError: JSONObject {
        let detail = WireV1.Error(error)
        let ours = detail.json
        var body: JSONObject = [
            "code": .string(callStatus.connectName), "message": .string(message),
        ]
        for (name, member) in Self.topLevel {
            if let value = ours[member] { _ = body.add(name, value) }
        }
        let debug: JSONObject = [
            "type": .string(WireV1.Error.fullName),
            "value": .string(Base64.encodeUnpadded(detail.encoded())),
            "debug": .object(ours),
        ]
        _ = body.add("details", .array([.object(debug)]))
        return body
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
