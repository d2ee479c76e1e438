import JSON
import Outbound
import ServiceRuntime

/// Sends push messages through Google's FCM, HTTP v1. Source:
/// https://firebase.google.com/docs/cloud-messaging/error-codes
struct FCM: PushProvider {
    /// How long Google holds a message that does not expire: its default, four weeks.
    private static let secondsMax: Int64 = 28 * 24 * 3_600
    /// The delay after a 429 without `retry-after`.
    private static let quotaWait: Duration = .seconds(60)
    /// Google's error codes that may be part of our reasons.
    private static let knownCodes: Set<String> = [
        "INTERNAL", "INVALID_ARGUMENT", "QUOTA_EXCEEDED", "SENDER_ID_MISMATCH",
        "THIRD_PARTY_AUTH_ERROR", "UNAVAILABLE", "UNREGISTERED",
    ]

    let providerGuard: ProviderGuard
    private let url: HTTPURL
    private let access: GoogleAccess
    private let http: ProviderHTTP

    /// The provider at `base`; nil when the account's project cannot be part of a URL.
    init?(base: HTTPURL, account: GoogleAccount, http: ProviderHTTP, providerGuard: ProviderGuard) {
        let path = "/v1/projects/\(FormBody.escape(account.project))/messages:send"
        guard let url = base.at(path) else { return nil }
        self.url = url
        self.http = http
        self.providerGuard = providerGuard
        access = GoogleAccess(account: account, http: http)
    }

    func send(_ push: OutgoingPush) async -> ProviderAnswer {
        let authorization: HTTPHeader
        switch await access.header() {
        case .none(let answer): return answer
        case .token(let header): authorization = header
        }
        let now = http.time.now()
        let left = push.expiresAt.map { ($0 - now).milliseconds / 1_000 } ?? Self.secondsMax
        let body = Self.payload(push, secondsLeft: min(max(left, 0), Self.secondsMax))
        switch await http.post(url, [.json, authorization], body) {
        case .failed(let failure): return ProviderAnswer("fcm", failure)
        case .answered(let response):
            if response.status == 401 { await access.drop() }
            return Self.answer(response, at: now)
        }
    }

    /// The message as JSON.
    /// Source: https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
    static func payload(_ push: OutgoingPush, secondsLeft: Int64) -> [UInt8] {
        var android: JSONObject = [
            "ttl": .string("\(secondsLeft)s"),
            "priority": .string(push.isUrgent ? "HIGH" : "NORMAL"),
        ]
        if !push.collapseKey.isEmpty {
            _ = android.add("collapse_key", .string(push.collapseKey))
        }
        let message: JSONObject = [
            "token": .string(push.token),
            "notification": .object(push.shownJSON),
            "data": .object(push.dataJSON),
            "android": .object(android),
        ]
        return Array(JSONWriter.text(["message": .object(message)]).utf8)
    }

    /// The meaning of Google's answer. A device is deleted only if Google reports it as
    /// unregistered, or its token as invalid. Any other invalid argument is our error, and a token
    /// of another sender may mean a wrong account file.
    static func answer(_ response: HTTPResponse, at now: Timestamp) -> ProviderAnswer {
        if response.isSuccess { return .taken }
        let details = ProviderHTTP.object(in: response)?["error"]?.object?["details"]?.array ?? []
        let objects = details.compactMap(\.object)
        let code = objects.lazy.compactMap { $0["errorCode"]?.string }.first ?? ""
        let reason = "fcm-\(knownCodes.contains(code) ? code : "\(response.status)")"
        switch (response.status, code) {
        case (404, "UNREGISTERED"): return .addressIsDead(reason, since: nil)
        case (400, "INVALID_ARGUMENT"):
            return objects.contains(where: isTokenWrong)
                ? .addressIsDead(reason, since: nil) : .refused(reason)
        case (429, _):
            return .failed(reason, retryAfter: response.retryAfter(at: now) ?? quotaWait)
        default: return ProviderAnswer(unlisted: reason, response, at: now)
        }
    }

    /// Whether an error detail names the token as invalid (`google.rpc.BadRequest`).
    private static func isTokenWrong(_ detail: JSONObject) -> Bool {
        (detail["fieldViolations"]?.array ?? []).contains { violation in
            violation.object?["field"]?.string == "message.token"
        }
    }
}
