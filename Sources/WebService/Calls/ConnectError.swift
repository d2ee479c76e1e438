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
        let detail = WireV1.Error(error)
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
