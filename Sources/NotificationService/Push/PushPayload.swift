import JSON
import ServiceRuntime

/// The JSON payloads for the two providers.
enum PushPayload {
    /// The name of the data member with the message's id, by which an app can drop duplicates: FCM
    /// has no idempotency key.
    static let idKey = "postern_message"

    /// Source: https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
    static func fcm(_ push: OutgoingPush, secondsLeft: Int64) -> [UInt8] {
        var android: JSONObject = [
            "ttl": .string("\(secondsLeft)s"),
            "priority": .string(push.isUrgent ? "HIGH" : "NORMAL"),
        ]
        if !push.collapseKey.isEmpty {
            _ = android.add("collapse_key", .string(push.collapseKey))
        }
        let message: JSONObject = [
            "token": .string(push.token),
            "notification": .object(words(push.words)),
            "data": .object(data(push)),
            "android": .object(android),
        ]
        return Array(JSONWriter.text(["message": .object(message)]).utf8)
    }

    /// Source: "Generating a remote notification", Apple's UserNotifications
    static func apns(_ push: OutgoingPush) -> [UInt8] {
        var payload: JSONObject = [
            "aps": .object([
                "alert": .object(words(push.words)), "sound": .string("default"),
            ])
        ]
        for member in data(push).members { _ = payload.add(member.name, member.value) }
        return Array(JSONWriter.text(payload).utf8)
    }

    private static func words(_ words: PushWords) -> JSONObject {
        var object: JSONObject = ["title": .string(words.title)]
        if !words.body.isEmpty { _ = object.add("body", .string(words.body)) }
        return object
    }

    private static func data(_ push: OutgoingPush) -> JSONObject {
        var object: JSONObject = [:]
        for pair in push.data { _ = object.add(pair.name, .string(pair.value)) }
        _ = object.add(idKey, .string(push.id.text))
        return object
    }
}
